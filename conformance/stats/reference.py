"""Rows for src/stats/evidence.json: what SciPy and statsmodels answer to the questions that src/stats/ answers.

pip install scipy==1.17.1 statsmodels==0.15.0 numpy==2.4.6
python conformance/stats/reference.py > src/stats/evidence.json
"""

import json

import numpy as np
import scipy
import statsmodels
from scipy.stats import fisher_exact, hypergeom, permutation_test
from statsmodels.stats.multitest import multipletests

rng = np.random.default_rng(17)


def blocks(values, side):
    """values: one list for each run, the one of now first; every exchange of runs within a case."""

    def fall(*runs, axis=-1):
        return np.mean(np.stack(runs[1:]), axis=0).sum(axis=axis) - runs[0].sum(axis=axis)

    answer = permutation_test(
        [np.array(run) for run in values], fall, permutation_type="samples", n_resamples=np.inf,
        alternative="greater" if side == "worse" else "two-sided", vectorized=True,
    )
    return answer.pvalue


def block_rows():
    rows = []
    for runs, cases in [(2, 2), (2, 4), (2, 7), (3, 2), (3, 4), (3, 5), (4, 3), (5, 2)]:
        for shift in (0.0, 0.3):
            values = [list(np.round(rng.random(cases), 2)) for _ in range(runs)]
            values[0] = [round(value - shift, 2) for value in values[0]]
            row = {"runs": [[float(value) for value in run] for run in values], "worse": float(blocks(values, "worse"))}
            # SciPy doubles the smaller tail, which is |fall| only where falls are symmetric, as with two runs.
            if runs == 2:
                row["both"] = float(blocks(values, "both"))
            rows.append(row)
    return rows


def max_t_rows():
    """Westfall and Young's procedure in its own words: SciPy permutes the numbers of runs, and the largest of several
    statistics is the statistic."""
    rows = []
    for runs, cases, metrics in [(2, 5, 2), (2, 7, 3), (3, 4, 3), (4, 3, 2)]:
        values = np.round(rng.random((metrics, runs, cases)), 2)
        values[0, 0] = np.round(values[0, 0] - 0.4, 2)
        total = values.sum(axis=1)
        falls = (total[:, None, :] - values) / (runs - 1) - values
        spread = np.sqrt((falls**2).mean(axis=1).sum(axis=1))
        places = [np.arange(cases) * runs + run for run in range(runs)]

        def largest(which):
            def statistic(now, *_):
                case, run = np.asarray(now, int) // runs, np.asarray(now, int) % runs
                return max(falls[metric, run, case].sum() / spread[metric] for metric in which)

            return permutation_test(
                places, statistic, permutation_type="samples", n_resamples=np.inf, alternative="greater",
                vectorized=False,
            )

        observed = [falls[metric, 0].sum() / spread[metric] for metric in range(metrics)]
        order = sorted(range(metrics), key=lambda metric: -observed[metric])
        adjusted, least = [0.0] * metrics, 0.0
        for at, metric in enumerate(order):
            null = largest(order[at:]).null_distribution
            least = max(least, float(np.mean(null >= observed[metric] - 1e-9)))
            adjusted[metric] = least
        rows.append({"metrics": values.tolist(), "adjusted": adjusted})
    return rows


def fisher_rows():
    rows = []
    tables = [(10, 10, 10, 0), (10, 9, 10, 2), (3, 3, 3, 0), (15, 15, 3, 0), (15, 12, 3, 1), (50, 41, 10, 5), (1, 1, 1, 0),
              (1, 0, 1, 0), (4, 4, 6, 6), (5, 0, 5, 5), (500, 480, 100, 80), (5000, 4990, 1000, 900), (7, 3, 9, 4), (30, 29, 2, 0)]
    for attempts, passes, now, now_passes in tables:
        table = [[now_passes, now - now_passes], [passes, attempts - passes]]
        both = passes + now_passes
        rows.append({
            "before": [passes, attempts], "now": [now_passes, now],
            "worse": float(fisher_exact(table, alternative="less")[1]),
            "two_sided": float(fisher_exact(table)[1]),
            "least": float(hypergeom(attempts + now, both, now).pmf(max(0, both - attempts))),
        })
    return rows


def dispersion_rows():
    """One case, runs of attempts: every assignment of passes to attempts."""
    rows = []
    for runs in ([[3, 3], [0, 3]], [[3, 3], [2, 3]], [[2, 4], [2, 4]], [[4, 4], [1, 4], [3, 4]], [[5, 5], [0, 5]], [[1, 2], [4, 4]]):
        sizes = [attempts for _, attempts in runs]
        attempts, passes = sum(sizes), sum(passes for passes, _ in runs)
        share = passes / attempts

        def uneven(*samples, axis=-1):
            each = [(s.sum(axis=axis) - size * share) ** 2 / size for s, size in zip(samples, sizes)]
            return sum(each) / (share * (1 - share))

        samples = [np.array([1.0] * p + [0.0] * (a - p)) for p, a in runs]
        answer = permutation_test(samples, uneven, permutation_type="independent", n_resamples=np.inf,
                                  alternative="greater", vectorized=True)
        rows.append({"runs": runs, "p": float(answer.pvalue)})
    return rows


def tarone_rows():
    """If a test could have any p-value it is Holm's procedure."""
    rows = []
    for count in (1, 3, 5, 8, 20):
        p = np.round(rng.random(count) ** 4, 5)
        rejected = multipletests(p, alpha=0.05, method="holm")[0]
        rows.append({"p": p.tolist(), "alpha": 0.05, "rejected": rejected.tolist()})
    return rows


source = (
    f"Computed by conformance/stats/reference.py with SciPy {scipy.__version__}, statsmodels {statsmodels.__version__} and "
    f"NumPy {np.__version__}. blocks, max_t: scipy.stats.permutation_test(permutation_type='samples'), all permutations. "
    "fisher: scipy.stats.fisher_exact and hypergeom. dispersion: permutation_test(permutation_type='independent'), all "
    "permutations. tarone_holm: statsmodels' multipletests(method='holm')."
)
tables = {"blocks": block_rows(), "max_t": max_t_rows(), "fisher": fisher_rows(), "dispersion": dispersion_rows(),
          "tarone_holm": tarone_rows()}
lines = [f'  "source": {json.dumps(source)}']
for name, rows in tables.items():
    lines.append(f'  "{name}": [\n' + ",\n".join("    " + json.dumps(row) for row in rows) + "\n  ]")
print("{\n" + ",\n".join(lines) + "\n}")
