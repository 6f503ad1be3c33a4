/** Conversations in tests, written by the store: what answers them is another matter. */
import { randomUUID } from 'node:crypto'
import { indexMessages } from '../../../src/work/talk/index-words.ts'
import {
  addMessages,
  endMessage,
  type NewMessage,
  type NewPart,
} from '../../../src/work/talk/message-store.ts'
import type { Member } from '../../harness/session.ts'
import type { World } from '../../harness/world.ts'

export const path = '/v1/talk/conversations'

const now = (world: World): Date => new Date(world.app.clock.nowMs())

export interface Turn {
  world: World
  person: { personId: string; project?: string | undefined }
  /** Where it is not that of the world. */
  accountId?: string
  /** A new conversation if absent. */
  conversationId?: string
  parentId?: string | null
  question: string | readonly NewPart[]
  answer?: string
  microcredits?: bigint
  /** Leaves the answer streaming. */
  isOpen?: boolean
  at?: Date
  ids?: { question: string; answer: string }
}

export interface Written {
  conversationId: string
  questionId: string
  answerId: string
}

/** Adds a question with its answer, ended and indexed. */
export async function write({ world, person, accountId = world.account, ...turn }: Turn): Promise<Written> {
  const {
    parentId = null,
    isOpen = false,
    conversationId = randomUUID(),
    question,
    answer = 'چشم',
    microcredits = 0n,
    at = now(world),
  } = turn
  const ids = turn.ids ?? { question: randomUUID(), answer: randomUUID() }
  const { db } = world.app
  const key = {
    accountId,
    projectId: person.project ?? world.project,
    personId: person.personId,
    conversationId,
  }
  const parts = typeof question === 'string' ? [{ kind: 'text', body: question } as const] : question
  const messages: [NewMessage, NewMessage] = [
    { messageId: ids.question, role: 'user', state: 'complete', parts },
    {
      messageId: ids.answer,
      role: 'assistant',
      state: 'streaming',
      processId: world.app.processes.id,
      model: 'sandbox/fast',
      parts: [{ kind: 'text', body: answer }],
    },
  ]
  await db.tx((tx) => addMessages(tx, { key, model: 'sandbox/fast', parentId, messages }, at))
  const message = { accountId, messageId: ids.answer }
  if (!isOpen)
    await db.tx((tx) =>
      endMessage(tx, message, { state: 'complete', receiptId: randomUUID(), microcredits }, at),
    )
  await indexMessages(db, [message, { accountId, messageId: ids.question }])
  return { conversationId, questionId: ids.question, answerId: ids.answer }
}

export const remove = (person: Member, address: string) => person.request('DELETE', address)
export const patch = (person: Member, id: string, body: unknown) =>
  person.request('PATCH', `${path}/${id}`, JSON.stringify(body))

/** How many rows each table of Talk has of the account. */
export async function rowsOfAccount(world: World): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of ['conversations', 'messages', 'parts', 'words']) {
    const [row] = await world.app.db.query<{ n: number }>(
      { text: `select count(*)::int as n from talk.${table} where account_id = $1` },
      [world.account],
    )
    counts[table] = row!.n
  }
  return counts
}
