"""A plain recurrent model whose backward, written token by token, has one slip of the pen."""

import numpy as np

from tests.planted import Planted
from tinytie import RNNLM


class Slipped(RNNLM):
    """One layer of tanh; `slip` names what is wrong, and "" nothing."""

    slip = ""

    def loss_and_grads(self, x, y, state=None, **options):
        result = super().loss_and_grads(x, y, state, **options)
        if not self.slip:
            return result
        state = self.initial_state(len(x)) if state is None else state
        made = token_by_token(self, np.asarray(x), np.asarray(y), state[0], self.slip)
        return result._replace(grads=made)


def token_by_token(model, x, y, h0, slip):
    """The gradients of each sentence, one token after the other."""
    P = model.params
    E_in, E_out = model.embeddings()
    grads = {name: np.zeros_like(a) for name, a in P.items()}
    tied = "E" in P
    N = np.sum(y != model.padding_id) if model.padding_id is not None else y.size
    db = []
    for ids, targets, h in zip(x, y, h0, strict=True):
        e = [model.embed_scale * E_in[i] for i in ids]
        hs, a = [h], []
        for e_t in e:
            a.append(P["W0"] @ e_t + P["U0"] @ hs[-1] + P["b0"])
            hs.append(np.tanh(a[-1]))
        back = np.zeros_like(h)
        for t in reversed(range(len(ids))):
            h = hs[t + 1]
            o = P["P"] @ h + P["p"] if "P" in P else h
            s = E_out @ o + P.get("c", 0.0)
            ds = np.exp(s - s.max())
            ds /= ds.sum()
            ds[targets[t]] -= 1
            ds *= (targets[t] != model.padding_id) / N
            grads["E" if tied else "E_out"] += np.outer(ds, e[t] if slip == "e for o" else o)
            if "c" in P:
                grads["c"] += ds
            do = E_out.T @ ds
            if "P" in P:
                grads["P"] += np.outer(do, h)
                grads["p"] += do
            dh = (P["P"].T @ do if "P" in P else do) + back
            da = dh * (1 - (a[t] if slip == "slope at a" else h) ** 2)
            before = hs[-1] if slip == "wrapped" and t == 0 else hs[t]
            grads["W0"] += np.outer(da, e[t])
            grads["U0"] += np.outer(da, before)
            db.append(da)
            back = (P["U0"] if slip == "U turned" else P["U0"].T) @ da
            de = (P["W0"] if slip == "W turned" else P["W0"].T) @ da
            row = targets[t] if slip == "at y" else ids[t]
            grads["E" if tied else "E_in"][row] += model.embed_scale * de
    grads["b0"] = np.array(db) if slip == "no sum" else np.sum(db, axis=0)
    return grads


CAUSES = {
    "slope at a": "slope at the wrong point", "e for o": "lookup for hidden",
    "at y": "lookup put at targets", "U turned": "matrix not transposed",
    "W turned": "matrix not transposed", "wrapped": "state wrapped", "no sum": "sum missing",
}  # fmt: skip
PLAIN = {"cell": "rnn", "n_layers": 1, "activation": "tanh", "dropout": 0.0}
MAKES = {slip: type("Slipped", (Slipped,), {"slip": slip}) for slip in CAUSES}
BUGS = [
    Planted(slip, None, None, "", cause, PLAIN | {"d_hidden": 4, "make": MAKES[slip]})
    for slip, cause in CAUSES.items()
]
