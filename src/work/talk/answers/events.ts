/**
 * One answer as events, from any process: pieces of its parts as they come, and at last its message. The id of an event is the place in the answer
 * after it, so that a reader who comes back gets each piece once. A reader who is slow or leaves changes nothing for the answer.
 */
import { type EventStream, type EventWriter, eventStream } from '#platform/http'
import { findMessage } from '../message-store.ts'
import { ownerOf } from '../owner.ts'
import { charactersOf } from '../storable.ts'
import type { AnswersContext } from './app.ts'
import type { LiveAnswer } from './live-answer.ts'
import { afterPiece, beginning, type Piece, type Position } from './merged-parts.ts'
import { type RemoteReader, runnerOf } from './runner.ts'
import { requireMessage } from './send.ts'
import { showMessages } from './shown-message.ts'
import { readPieces } from './store.ts'

/** More than any part has characters: an id is the ordinal times this, and the characters that are known of that part. */
const charactersPerPart = 10_000_000

const idOf = ({ ordinal, characters }: Position): string => String(ordinal * charactersPerPart + characters)

function positionOf(header: string | string[] | undefined): Position {
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header)) return beginning
  const id = Number(header)
  return { ordinal: Math.floor(id / charactersPerPart), characters: id % charactersPerPart }
}

export async function streamAnswer(context: AnswersContext<unknown, { id: string }>): Promise<EventStream> {
  const { app, params, headers } = context
  await requireMessage(context, params.id)
  const runner = runnerOf(app)
  let position = positionOf(headers['last-event-id'])
  const reader: RemoteReader = { announcedMs: Number.NEGATIVE_INFINITY }
  return eventStream(async (out) => {
    while (!out.gone.aborted) {
      const live = runner.find(params.id)
      if (live) position = await streamLive(out, live, position)
      // The state comes first: what was stored before the end is then read too.
      const row = await findMessage(app.db, ownerOf(context), params.id)
      if (!row) return
      position = await sendPieces(out, await storedAfter(context, position), position)
      if (row.state === 'streaming') {
        if (!runner.find(params.id)) await runner.news(params.id, reader, out.gone)
        continue
      }
      const [message] = await showMessages(app, [row])
      await out.send(JSON.stringify(message), 'message', idOf(position))
      return
    }
  })
}

/** Sends what comes of an answer of this process, until it has ended; returns the place after it. */
async function streamLive(out: EventWriter, live: LiveAnswer, from: Position): Promise<Position> {
  let position = from
  let woken = Promise.withResolvers<void>()
  using _watch = live.watch(() => woken.resolve())
  const wake = (): void => woken.resolve()
  out.gone.addEventListener('abort', wake)
  try {
    while (!out.gone.aborted) {
      woken = Promise.withResolvers()
      const hasEnded = live.hasEnded
      position = await sendPieces(out, live.parts.after(position), position)
      if (hasEnded) return position
      await woken.promise
    }
    return position
  } finally {
    out.gone.removeEventListener('abort', wake)
  }
}

async function sendPieces(out: EventWriter, pieces: readonly Piece[], from: Position): Promise<Position> {
  let position = from
  for (const piece of pieces) {
    if (out.gone.aborted) return position
    position = afterPiece(piece)
    const { ordinal, kind, from: start, text, detail } = piece
    const event = { ordinal, kind, ...(detail ? { detail } : { from: start, text }) }
    await out.send(JSON.stringify(event), 'part', idOf(position))
  }
  return position
}

async function storedAfter(
  { app, caller, params }: AnswersContext<unknown, { id: string }>,
  position: Position,
): Promise<Piece[]> {
  const { accountId } = caller
  const rows = await readPieces(app.db, { accountId, messageId: params.id }, position)
  return rows.flatMap(({ ordinal, kind, text, detail }): Piece[] => {
    const from = ordinal === position.ordinal ? position.characters : 0
    if (from > 0 && text === '') return []
    return [{ ordinal, kind, from, text, characters: charactersOf(text), ...(detail && { detail }) }]
  })
}
