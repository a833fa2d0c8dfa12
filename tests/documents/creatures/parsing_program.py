from parsing import parse_log

parse_log()
