"""HiGHS's own readers of model files, as an independent opinion."""

import highspy
import numpy as np


def read_with_highs(path):
    """Costs, dense matrix, limits, bounds, integrality, offset and sense, as arrays."""
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.readModel(str(path))
    model = highs.getLp()
    matrix = np.zeros((model.num_row_, model.num_col_))
    highs.ensureColwise() if hasattr(highs, "ensureColwise") else None
    starts, rows, values = model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_
    for j in range(model.num_col_):
        for k in range(starts[j], starts[j + 1]):
            matrix[rows[k], j] = values[k]
    integer = [kind == highspy.HighsVarType.kInteger for kind in model.integrality_] or [False] * model.num_col_
    return {
        "columns": list(model.col_names_),
        "costs": np.array(model.col_cost_),
        "matrix": matrix,
        "row_lower": np.array(model.row_lower_),
        "row_upper": np.array(model.row_upper_),
        "lower": np.array(model.col_lower_),
        "upper": np.array(model.col_upper_),
        "integer": np.array(integer),
        "offset": model.offset_,
        "maximize": model.sense_ == highspy.ObjSense.kMaximize,
    }


def assert_same_model(model, theirs):
    """Our LinearModel against `read_with_highs`; columns may come in another order."""
    order = [model.columns.index(name) for name in theirs["columns"]]
    assert sorted(order) == list(range(len(model.columns)))
    for field in ("costs", "lower", "upper", "integer"):
        np.testing.assert_array_equal(getattr(model, field)[order], theirs[field], err_msg=field)
    np.testing.assert_array_equal(model.matrix.toarray()[:, order], theirs["matrix"])
    np.testing.assert_array_equal(model.row_lower, theirs["row_lower"])
    np.testing.assert_array_equal(model.row_upper, theirs["row_upper"])
    assert (model.offset, model.maximize) == (theirs["offset"], theirs["maximize"])
