import type { KeySource } from '#platform/http'

/** Clients of the messages wire send their key in this header, and request models with it too. */
export const apiKeyHeader: KeySource = {
  scheme: 'messagesKey',
  header: 'x-api-key',
  description: 'The same key, on the routes of messages and models.',
}
