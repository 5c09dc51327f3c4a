import faulthandler

# A test that hangs says where.
faulthandler.dump_traceback_later(800, exit=True)
