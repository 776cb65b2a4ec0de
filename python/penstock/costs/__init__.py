"""What operations cost on this machine: the modules of `penstock costs`.

    rows        the rows: native operations, and statements of Python
    given       the names that the statements of Python use
    operation   a row that can be run as often as needed, and timed
    measure     how often, in which order, in how many processes
    worker      one of those processes
    statistics  from times to a cost with its interval, and checks whether to believe it
    machine     the machine and its state
    record      all of that, as JSON
    table, plot, compare    the record in readable form

A cost is never a single number. It is the median over processes, with the interval that contains
all of them, corrected for the cost of the loop and its uncertainty. If that interval reaches zero,
only its upper end is shown.
"""
