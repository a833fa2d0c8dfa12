"""The read side: answers of `matchbox.answers` for the pages and the API. Changes nothing.

The first argument is a reader's session. If the answer depends on who asks, the second is `viewer`:
the account that asks, or None. A query raises NotFound for a missing row, and Forbidden for a row
that the viewer may not see, or not yet.
"""

from server.queries.audit import audit
from server.queries.board_figures import (
    all_opponents,
    board_figures,
    board_pairs,
    opponents,
    rating_trails,
)
from server.queries.bots import (
    author,
    bot,
    bot_name,
    bots,
    bundle,
    file_of,
    my_bots,
    uploaded_file,
    version,
)
from server.queries.games import exportable_season, games, season_records
from server.queries.leagues import following, league, leagues, season, seasons
from server.queries.match_logs import match_log
from server.queries.matches import match, matches, queue, record_of, steps
from server.queries.platform import (
    account,
    admin,
    events,
    fresh_token,
    last_event,
    misses_events,
    sessions,
    tokens,
)
from server.queries.standings import board_stamp, leaderboard, season_standings
