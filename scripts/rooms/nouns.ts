/**
 * The nouns of the product, which `src/platform` does not know: a word of an identifier, a string or a comment there (parts of
 * `camelCase` and `snake_case` names are words of their own), in the singular. The plural is refused with it.
 */
export const productNouns: readonly string[] = [
  // What may also mean something of the machine is left out: agent (of HTTP), batch (of commits), message, response, run, tool, token.
  'anthropic',
  'assistant',
  'audio',
  'catalogue',
  'chat',
  'conversation',
  'customer',
  'deployment',
  'embedding',
  'image',
  'inference',
  'knowledge',
  'model',
  'openai',
  'picture',
  'reasoning',
  'studio',
  'vendor',
  'video',
  'webhook',
]

/** A place in `src/platform` that may contain a noun all the same, with the reason. One that excuses nothing is refused. */
export interface NounException {
  /** The file, or the folder of a room with a slash at its end. */
  place: string
  noun: string
  reason: string
}

const ofReceipts = 'a column of receipts, which say what was paid for'
const ofScopes = 'the scopes of the contract are one list'

export const nounExceptions: readonly NounException[] = [
  {
    place: 'src/platform/webrtc/',
    noun: 'audio',
    reason: 'the one kind of media of its connections, as SDP names it',
  },
  { place: 'src/platform/ledger/', noun: 'customer', reason: ofReceipts },
  { place: 'src/platform/ledger/', noun: 'model', reason: ofReceipts },
  { place: 'src/platform/ledger/', noun: 'reasoning', reason: ofReceipts },
  { place: 'src/platform/idempotency/idempotency.ts', noun: 'model', reason: ofReceipts },
  { place: 'src/platform/auth/', noun: 'model', reason: 'a column of keys: what a key may use' },
  {
    place: 'src/platform/http/active-request.ts',
    noun: 'model',
    reason: 'the caller of a route without a key, who may use any',
  },
  {
    place: 'src/platform/secrets/seal.ts',
    noun: 'webhook',
    reason: 'the name of the page that explains why secrets are sealed',
  },
  { place: 'src/platform/auth/scopes.ts', noun: 'audio', reason: ofScopes },
  { place: 'src/platform/auth/scopes.ts', noun: 'knowledge', reason: ofScopes },
  { place: 'src/platform/auth/scopes.ts', noun: 'studio', reason: ofScopes },
  { place: 'src/platform/auth/scopes.ts', noun: 'webhook', reason: ofScopes },
]
