/**
 * Idempotency keys: one key has one effect and one stored answer (docs/decisions/platform/idempotency.md). The ledger takes the claim itself, in the
 * commit of the hold.
 */
import { fail } from '#platform/errors'
import type { Claim, Ledger } from '#platform/ledger'
import { fingerprintOf } from './fingerprint.ts'

/** How long a complete JSON answer is replayed. */
export const replayMs = 24 * 60 * 60 * 1000
/** JSON of this many bytes or more is not kept for replay (contract section 8). */
export const replayLimitBytes = 1_048_576

/** Makes the claim of a request that carries an Idempotency-Key. `keyHeader` has 1 to 128 characters. */
export async function claimOf(
  keyHeader: string,
  method: string,
  path: string,
  body: unknown,
): Promise<Claim> {
  if (keyHeader === '' || [...keyHeader].length > 128) {
    fail(
      'INVALID_REQUEST',
      {
        why: {
          en: 'Idempotency-Key must have 1 to 128 characters.',
          fa: 'Idempotency-Key باید ۱ تا ۱۲۸ کاراکتر داشته باشد.',
        },
      },
      { param: 'Idempotency-Key' },
    )
  }
  return { key: keyHeader, fingerprint: await fingerprintOf(`${method}\n${path}\n`, body) }
}

/** The caller, and the id of the request. */
interface Requester {
  accountId: string
  projectId: string
  keyId: string
  requestId: string
}

/** The receipt of an earlier request that owns the claim; undefined if there is none, or if this request itself was executed. */
export async function claimOwnerReceipt(
  ledger: Ledger,
  { accountId, projectId, keyId, requestId }: Requester,
  claim: Claim,
): Promise<string | undefined> {
  const known = await ledger.lookup(accountId, keyId, claim.key)
  if (!known || (await ledger.receipt(accountId, projectId, requestId))) return undefined
  const earlier = await ledger.earlierReceipt(accountId, known.receipt_id, replayMs)
  return earlier?.claiming ? known.receipt_id : undefined
}

export interface Replay {
  requestId: string
  /** The charge of the first answer; absent without a hold, and while durable work is still running. */
  chargedMicrocredits?: bigint
  status: number
  text: string
  /** The ids of the files that the request made. */
  files: readonly string[]
  /** How many of several results are missing. */
  missing: number
  /** Headers of the first answer that say how the request was understood. */
  answerHeaders: Readonly<Record<string, string>>
}

/**
 * The answer to a repeated request: the first answer byte for byte, or a 409 with the reason. The request is never executed again. Throws
 * IDEMPOTENCY_CONFLICT, IDEMPOTENCY_IN_PROGRESS or REQUEST_ALREADY_ACCEPTED.
 */
export async function replayedAnswer(
  ledger: Ledger,
  accountId: string,
  receiptId: string,
  claim: Claim,
): Promise<Replay> {
  const earlier = await ledger.earlierReceipt(accountId, receiptId, replayMs)
  if (!earlier || earlier.fingerprint !== claim.fingerprint) fail('IDEMPOTENCY_CONFLICT', {})
  // Durable work that is still running has the answer with which it was accepted.
  const isUnanswered = earlier.state === 'running' && earlier.reply === null
  // The first request released its claim meanwhile, so it had no effect, and a further repeat is executed.
  if (isUnanswered || !earlier.claiming) fail('IDEMPOTENCY_IN_PROGRESS', {}, { receiptId })
  const files = filesIn(earlier.detail)
  if (earlier.reply === null) refuseRepeat(receiptId, files)
  if (earlier.reply.startsWith(unrepeatableMark)) refuseUnrepeatable(receiptId, earlier.reply)
  const isPaid = earlier.model !== null && earlier.state !== 'running'
  return {
    requestId: receiptId,
    ...(isPaid && { chargedMicrocredits: earlier.charged }),
    status: earlier.status_code!,
    text: earlier.reply,
    files,
    missing: missingIn(earlier.detail),
    answerHeaders: (earlier.detail?.['answer_headers'] ?? {}) as Record<string, string>,
  }
}

/** Begins an unrepeatable answer; no JSON begins like this. */
const unrepeatableMark = '409 '

/** What a repeat is told instead of an answer that cannot be sent again. */
export interface UnrepeatableAnswer {
  /** The address of the object that the first request created, such as `GET /v1/…`. */
  made: string
  details: Record<string, string>
}

/** Returns the text that is stored instead of the answer. */
export const unrepeatableText = (told: UnrepeatableAnswer): string => unrepeatableMark + JSON.stringify(told)

function refuseUnrepeatable(receiptId: string, text: string): never {
  const { made, details }: UnrepeatableAnswer = JSON.parse(text.slice(unrepeatableMark.length))
  return fail('REQUEST_ALREADY_ACCEPTED', { receiptId, files: made }, { receiptId, details })
}

/** The ids of the files that a request made, as its receipt lists them. */
function filesIn(detail: Record<string, unknown> | null): readonly string[] {
  const files = detail?.['files']
  return Array.isArray(files) ? (files as string[]) : []
}

const missingIn = (detail: Record<string, unknown> | null): number => Number(detail?.['missing'] ?? 0)

function refuseRepeat(receiptId: string, files: readonly string[]): never {
  if (files.length === 0) return fail('REQUEST_ALREADY_ACCEPTED', { receiptId }, { receiptId })
  const places = files.map((id) => `GET /v1/files/${id}`).join(', ')
  return fail(
    'REQUEST_ALREADY_ACCEPTED',
    { receiptId, files: places },
    { receiptId, details: { files: [...files] } },
  )
}
