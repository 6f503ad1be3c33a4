import { createHash } from 'node:crypto'

/** The ids of tool calls that a vendor takes. */
export interface CallIdRule {
  /** Matches an id that the vendor takes as it is. */
  accepted: RegExp
  maxLength: number
  /** The vendor refuses an id that an earlier call of the conversation has. */
  isUnique?: boolean
}

const digestLength = 12

/**
 * The ids of the tool calls of one conversation as one vendor takes them: another vendor's ids may contain characters that this one refuses, be too long,
 * or repeat. The ids of a call and of its result change alike, ids of two calls stay two, and an id is the same in every turn of a conversation that
 * only grows. Call `callId` and `resultId` in the order of the conversation.
 */
export class CallIds {
  readonly #rule: CallIdRule
  /** The vendor's ids, by ours. */
  readonly #known = new Map<string, string>()
  readonly #taken = new Set<string>()
  /** How many calls had this id. */
  readonly #uses = new Map<string, number>()
  /** The calls without a result, by their id. */
  readonly #open = new Map<string, string[]>()
  #isAnswering = false

  constructor(rule: CallIdRule) {
    this.#rule = rule
  }

  callId(id: string): string {
    if (!this.#rule.isUnique) return this.#idOf(id)
    if (this.#isAnswering) this.#open.clear()
    this.#isAnswering = false
    const uses = (this.#uses.get(id) ?? 0) + 1
    this.#uses.set(id, uses)
    const own = this.#idOf(nameOf(id, uses))
    const open = this.#open.get(id)
    if (open) open.push(own)
    else this.#open.set(id, [own])
    return own
  }

  /** The id in a result: of several calls with one id, the first that has none is answered. */
  resultId(id: string): string {
    if (!this.#rule.isUnique) return this.#idOf(id)
    this.#isAnswering = true
    return this.#open.get(id)?.shift() ?? this.#idOf(nameOf(id, this.#uses.get(id) ?? 1))
  }

  #idOf(name: string): string {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const plain = fitting(name, this.#rule)
    const own = this.#taken.has(plain) ? digested(name, this.#rule.maxLength) : plain
    this.#known.set(name, own)
    this.#taken.add(own)
    return own
  }
}

/** A vendor's id never has this sign, so that the name is no id of another call. */
const nameOf = (id: string, uses: number): string => (uses === 1 ? id : `${id}\0${uses}`)

/** The id itself, or with other characters in place of the refused ones; what has to be shortened keeps apart by a digest. */
function fitting(id: string, { accepted, maxLength }: CallIdRule): string {
  if (accepted.test(id)) return id
  if (id.length > maxLength) return digested(id, maxLength)
  const cleaned = clean(id)
  return accepted.test(cleaned) ? cleaned : digested(id, maxLength)
}

function digested(id: string, maxLength: number): string {
  const digest = createHash('sha256').update(id).digest('hex').slice(0, Math.min(digestLength, maxLength))
  const room = maxLength - digest.length - 1
  return room > 0 ? `${clean(id.slice(0, room))}_${digest}` : digest
}

const clean = (id: string): string => id.replace(/[^\w-]/g, '_')
