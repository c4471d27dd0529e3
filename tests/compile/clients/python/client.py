"""Drives the official Python A2A client for the tests.

One JSON command a line on standard input, one JSON answer a line on standard output. The first argument is the agent's
base URL, the second the protocol to speak, 0.3 or 1.0.
"""

import asyncio
import json
import sys

import httpx

from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.helpers import get_text_parts
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    StreamResponse,
    Task,
    TaskState,
    TaskStatus,
)


def spell(state: int) -> str:
    """Gives a state its name of protocol 0.3, such as input-required."""
    return TaskState.Name(state).removeprefix('TASK_STATE_').lower().replace('_', '-')


class Answer:
    """The task as the client sees it after a command."""

    def __init__(self) -> None:
        self.fields = {'task': '', 'context': '', 'state': '', 'text': '', 'message': '', 'states': []}

    def add_event(self, event: StreamResponse) -> None:
        if event.HasField('task'):
            self.add_task(event.task)
        elif event.HasField('status_update'):
            self.add_status(event.status_update.status)
        elif event.HasField('artifact_update'):
            self.fields['text'] += ''.join(get_text_parts(event.artifact_update.artifact.parts))
        elif event.HasField('message'):
            self.fields['message'] = ''.join(get_text_parts(event.message.parts))

    def add_task(self, task: Task) -> None:
        self.fields['task'] = task.id
        self.fields['context'] = task.context_id
        self.fields['text'] = ''.join(text for artifact in task.artifacts for text in get_text_parts(artifact.parts))
        self.add_status(task.status)

    def add_status(self, status: TaskStatus) -> None:
        self.fields['state'] = spell(status.state)
        self.fields['states'].append(self.fields['state'])
        if status.HasField('message'):
            self.fields['message'] = ''.join(get_text_parts(status.message.parts))


def send_request(command: dict, number: int) -> SendMessageRequest:
    return SendMessageRequest(
        message=Message(
            message_id=f'message-{number}',
            role=Role.ROLE_USER,
            parts=[Part(text=command['text'])],
            task_id=command.get('task', ''),
            context_id=command.get('context', ''),
        ),
        configuration=SendMessageConfiguration(return_immediately=command['do'] == 'begin'),
    )


async def answer_to(command: dict, number: int, plain: Client, streaming: Client) -> dict:
    answer = Answer()
    try:
        match command['do']:
            case 'send' | 'begin':
                async for event in plain.send_message(send_request(command, number)):
                    answer.add_event(event)
            case 'stream':
                async for event in streaming.send_message(send_request(command, number)):
                    answer.add_event(event)
            case 'get':
                answer.add_task(await plain.get_task(GetTaskRequest(id=command['task'])))
            case 'cancel':
                answer.add_task(await plain.cancel_task(CancelTaskRequest(id=command['task'])))
            case unknown:
                raise ValueError(f'unknown command {unknown}')
    except Exception as error:  # the test judges it
        answer.fields['error'] = f'{type(error).__name__}: {error}'
    return answer.fields


async def main(base: str, version: str) -> None:
    async with httpx.AsyncClient(timeout=60) as http:
        card = await A2ACardResolver(http, base).get_agent_card()
        wanted = [offered for offered in card.supported_interfaces if offered.protocol_version.startswith(version)]
        if not wanted:
            sys.exit(f'the card offers no interface of version {version}')
        del card.supported_interfaces[:]
        card.supported_interfaces.extend(wanted)
        plain = ClientFactory(ClientConfig(streaming=False, httpx_client=http)).create(card)
        streaming = ClientFactory(ClientConfig(streaming=True, httpx_client=http)).create(card)
        for number, line in enumerate(iter(sys.stdin.readline, '')):
            print(json.dumps(await answer_to(json.loads(line), number, plain, streaming)), flush=True)


asyncio.run(main(sys.argv[1], sys.argv[2]))
