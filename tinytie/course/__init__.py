"""The course's machinery: lessons as cells, a player for the terminal, and graded exercises.

How a law is written, in `lessons/laws/lesson_NN.py`, which ends with the list EXERCISES:

    def square_law(answer):
        x = answer.rng.standard_normal(3)           # drawn when it is asked: no file can know it
        got = answer.array((3,), x=x)               # the student's square(x): finite, of this shape
        if np.allclose(got, 2 * x):
            raise Wrong("this is twice x; a square is x times x")      # the mistake, in words
        if not np.allclose(got, x * x):
            raise Wrong("that is no square")

    EXERCISES = [Exercise("square", square_law)]

The law runs here, the answer in a process of its own: arguments are numbers, text, lists, tuples,
sets, dicts, arrays, functions of the law (called here, by number), or a `Maker` of a model; the
same comes back, functions included (`pullback(dy=dy)`). Read results with `answer.array`,
`.arrays`, `.number` and `.yes`, or `answer(...)` for other values; `evidence.law_of_gradient`
compares with the finite difference and names the suspect that fits. An exercise that needs tinytie
says `package=True`. Two calls with the same arguments must agree; arguments must not be changed.
"""
