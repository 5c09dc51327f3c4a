"""A client of Workflow Task Service that needs only the standard library."""

from .client import Client as Client
from .errors import Conflict as Conflict
from .errors import CursorExpired as CursorExpired
from .errors import NotFound as NotFound
from .errors import NotPossible as NotPossible
from .errors import PreconditionFailed as PreconditionFailed
from .errors import TooManyRequests as TooManyRequests
from .errors import Unavailable as Unavailable
from .errors import ValidationError as ValidationError
from .errors import WebhookInvalid as WebhookInvalid
from .errors import WtsError as WtsError
from .shapes import Event as Event
from .shapes import Execution as Execution
from .shapes import Row as Row
from .shapes import Task as Task
from .transport import Answer as Answer
from .webhooks import verify_webhook as verify_webhook
