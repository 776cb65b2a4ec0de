"""What operations cost on this machine: what stands behind `penstock costs`.

    rows        what is measured: native operations, and statements of Python
    given       what the statements of Python work on
    operation   a row, made ready to be done as often as asked, and timed
    measure     how often, in which order, in how many processes
    worker      one of those processes
    statistics  from times to a cost with its interval, and what cannot be believed
    machine     where and in what state it was measured
    record      all of that, as JSON
    table, plot, compare    the record, to be read

A cost is never a number alone. It is the median over processes, with the interval in which all of
them lie, the cost of the loop and its own uncertainty taken into account. Where that interval
reaches zero, only its upper end is told.
"""
