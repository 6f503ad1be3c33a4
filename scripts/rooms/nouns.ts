/**
 * The nouns of the product, which `src/platform` does not know: a word of an identifier, a string or a comment there (parts of
 * `camelCase` and `snake_case` names are words of their own), in the singular. The plural is refused with it. A compound such as `cloudFunction` is
 * two consecutive words, however they are joined: `cloud_functions`, `openCloudFunction`, "cloud function".
 */
export const productNouns: readonly string[] = [
  // What may also mean something of the machine is left out: agent (of HTTP), batch (of commits), message, response, run, tool, token.
  'anthropic',
  'assistant',
  'audio',
  'catalogue',
  'chat',
  'cloud',
  'cloudFunction',
  'conversation',
  'customer',
  'deployment',
  'embedding',
  'image',
  'inference',
  'knowledge',
  'model',
  'objectBucket',
  'openai',
  'picture',
  'realtimeCall',
  'reasoning',
  'recording',
  'site',
  'studio',
  'subtitle',
  'vendor',
  'video',
  'voice',
  'voiceCall',
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
const ofZones = 'the settings of the second listener, which has a domain for each kind of host'
const ofHandlers = 'the names of handlers, in the help of a metric'
const ofRoles = 'the name of a role of processes'
const ofBrowsers = 'the header Sec-Fetch-Site, its values, and the code of the refusal'

export const nounExceptions: readonly NounException[] = [
  {
    place: 'src/platform/auth/management-keys.ts',
    noun: 'webhook',
    reason: 'the names of scopes of the contract that a management key may have',
  },
  {
    place: 'src/platform/http/cors.ts',
    noun: 'audio',
    reason: 'the name of the header X-Truncated-Audio, which pages may read',
  },
  {
    place: 'src/platform/webrtc/',
    noun: 'audio',
    reason: 'the one kind of media of its connections, as SDP names it',
  },
  {
    place: 'src/platform/webrtc/',
    noun: 'voice',
    reason: 'the name of the page that explains the connections',
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
  { place: 'src/platform/auth/scopes.ts', noun: 'cloud', reason: ofScopes },
  { place: 'src/platform/auth/scopes.ts', noun: 'knowledge', reason: ofScopes },
  { place: 'src/platform/auth/scopes.ts', noun: 'studio', reason: ofScopes },
  { place: 'src/platform/auth/scopes.ts', noun: 'webhook', reason: ofScopes },
  { place: 'src/platform/apps/settings.ts', noun: 'cloud', reason: ofZones },
  { place: 'src/platform/apps/settings.ts', noun: 'site', reason: ofZones },
  { place: 'src/platform/apps/shared-parent.ts', noun: 'cloud', reason: ofZones },
  { place: 'src/platform/apps/metrics.ts', noun: 'cloud', reason: ofHandlers },
  { place: 'src/platform/apps/metrics.ts', noun: 'site', reason: ofHandlers },
  { place: 'src/platform/apps/guarded-headers.ts', noun: 'site', reason: 'the header Clear-Site-Data' },
  { place: 'src/platform/http/own-origin.ts', noun: 'site', reason: ofBrowsers },
  { place: 'src/platform/http/phrases.ts', noun: 'site', reason: ofBrowsers },
  { place: 'src/platform/http/admit.ts', noun: 'site', reason: ofBrowsers },
  { place: 'src/platform/http/admit-session.ts', noun: 'site', reason: ofBrowsers },
  { place: 'src/platform/http/declared-answers.ts', noun: 'site', reason: ofBrowsers },
  { place: 'src/platform/http/cookies.ts', noun: 'site', reason: 'the attribute SameSite of cookies' },
  {
    place: 'src/platform/jail/phrases.ts',
    noun: 'cloud',
    reason: 'the name of the page that says how to allow the jail',
  },
  { place: 'src/platform/config/config.ts', noun: 'voice', reason: ofRoles },
  { place: 'src/platform/config/phrases.ts', noun: 'voice', reason: ofRoles },
  { place: 'src/platform/config/process-settings.ts', noun: 'voice', reason: ofRoles },
  { place: 'src/platform/env/process-variables.ts', noun: 'voice', reason: ofRoles },
]
