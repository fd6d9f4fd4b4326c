"""A step of the tied Transformer: with PyTorch's own encoder layers, and as bare products."""

HEADS = 4
NAMES = {  # PyTorch's name of each parameter of a block, and ours
    "self_attn.in_proj_weight": "Wqkv", "self_attn.in_proj_bias": "bqkv",
    "self_attn.out_proj.weight": "Wo", "self_attn.out_proj.bias": "bo",
    "norm1.weight": "gain1", "norm1.bias": "shift1",
    "linear1.weight": "W1", "linear1.bias": "b1", "linear2.weight": "W2", "linear2.bias": "b2",
    "norm2.weight": "gain2", "norm2.bias": "shift2",
}  # fmt: skip


def torch_transformer(model, x, y):
    """The loss as a function without arguments, and its parameters, filled from the model's."""
    import torch
    from torch import nn
    from torch.nn import functional

    values = {name: torch.tensor(array) for name, array in model.params.items()}
    layer = nn.TransformerEncoderLayer(
        model.d_model, model.n_heads, model.d_ff, dropout=0.0, batch_first=True
    )
    encoder = nn.TransformerEncoder(layer, model.n_layers, enable_nested_tensor=False)
    encoder.load_state_dict(
        {
            f"layers.{i}.{theirs}": values[f"block{i}.{ours}"]
            for i in range(model.n_layers)
            for theirs, ours in NAMES.items()
        }
    )
    E, pos = nn.Parameter(values["E"]), nn.Parameter(values["pos"])
    mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])

    def loss_of():
        h = encoder(functional.embedding(x, E) + pos, mask, is_causal=True)
        scores = functional.linear(h, E)
        return functional.cross_entropy(scores.reshape(-1, len(E)), y.reshape(-1))

    return loss_of, [E, pos, *encoder.parameters()]


def transformer_products(model, h):
    """One step's products with weight matrices, and nothing else. h (N, d)."""
    E = model.params["E"]
    weights = [a for name, a in model.params.items() if a.ndim == 2 and "block" in name]
    inputs = [h if W.shape[1] == h.shape[1] else h @ model.params["block0.W1"].T for W in weights]

    def step():
        for x, W in zip(inputs, weights, strict=True):
            y = x @ W.T
            y @ W, y.T @ x
        scores = h @ E.T
        scores @ E, scores.T @ h

    return step
