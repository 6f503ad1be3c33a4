/** The rows of Talk (migrations/0047-talk.sql). */

declare module '#platform/db' {
  interface Tables {
    'talk.conversations': ConversationRow
    'talk.messages': MessageTable
    'talk.parts': PartRow
  }
}

export interface ConversationRow {
  account_id: string
  conversation_id: string
  project_id: string
  person_id: string
  /** Null: `first_words` stands for it. */
  title: string | null
  first_words: string
  model: string
  leaf_id: string
  messages: number
  /** What all its messages cost together. */
  microcredits: bigint
  pinned_at: Date | null
  archived_at: Date | null
  created_at: Date
  updated_at: Date
}

export type Role = 'user' | 'assistant'
export type MessageState = 'streaming' | 'complete' | 'stopped' | 'failed'

export interface MessageRow {
  account_id: string
  message_id: string
  conversation_id: string
  parent_id: string | null
  /** The first message has 0, and each further one that of its parent and one. */
  depth: number
  role: Role
  state: MessageState
  model: string | null
  hosted: string[]
  reasoning_effort: string | null
  /** SHA-256 of the request that made it. */
  fingerprint: Buffer | null
  receipt_id: string | null
  /** Null until it is settled. */
  microcredits: bigint | null
  error_code: string | null
  /** The process that writes the answer; null once it has ended. */
  process_id: string | null
  created_at: Date
  ended_at: Date | null
}

/** The columns of `MessageRow`, of the table `m`. */
export const messageColumns = `m.account_id, m.message_id, m.conversation_id, m.parent_id, m.depth, m.role, m.state, m.model, m.hosted,
  m.reasoning_effort, m.fingerprint, m.receipt_id, m.microcredits, m.error_code, m.process_id, m.created_at, m.ended_at`
interface MessageTable extends MessageRow {
  is_indexed: boolean
}

export const partKinds = [
  'text',
  'reasoning',
  'tool_call',
  'tool_result',
  'image',
  'file',
  'source',
  'notice',
] as const
export type PartKind = (typeof partKinds)[number]

export interface PartRow {
  account_id: string
  message_id: string
  ordinal: number
  kind: PartKind
  body: string | null
  /** Code points of the body. */
  characters: number
  file_id: string | null
  detail: Record<string, unknown> | null
}

/** Whose conversations: nobody else reads them, whatever their role. */
export interface TalkOwner {
  accountId: string
  projectId: string
  personId: string
}

export interface ConversationKey extends TalkOwner {
  conversationId: string
}

export interface MessageKey {
  accountId: string
  messageId: string
}
