import { createHash } from 'node:crypto'

/** The wires on which vendors sign or encrypt reasoning. */
export type SigningWire = 'messages' | 'responses'

export interface SigningAddress {
  baseUrl: string
  /** Models of other vendors on this wire are offered too, so that a caller may send one vendor's signatures to another. */
  isOneOfSeveralSigners?: boolean
}

const claude = 'claude'
const openAi = /(^|\.)openai\.com$/

/**
 * Tells who signs the reasoning of a model. A signature is valid for the models of one family at one vendor; Claude's are valid wherever Claude is offered, and
 * OpenAI has one key for all of its models.
 */
export function signerOf(baseUrl: string, upstreamModel: string): string {
  const { host, hostname } = new URL(baseUrl)
  const model = upstreamModel.toLowerCase()
  if (/(^|[^a-z])claude/.test(model) || hostname === 'api.anthropic.com') return claude
  if (openAi.test(hostname)) return host
  const [family = ''] = /[a-z]+/.exec(model.slice(model.lastIndexOf('/') + 1)) ?? []
  return `${host}/${family}`
}

/** The vendor that a wire comes from: its signatures leave as they are. */
const isOwner: Record<SigningWire, (signer: string) => boolean> = {
  messages: (signer) => signer === claude,
  responses: (signer) => openAi.test(signer),
}

/** The beginning of every signature that is not a vendor's own; `core/text` seals those of other wires behind it. */
const ours = 'kherad.'

/**
 * A vendor's mark on its signatures (and on what it encrypts), by which one is known when it comes back: vendors refuse a conversation with another
 * vendor's signature. Where a wire has one vendor, its signatures are not marked.
 */
export class ReasoningMark {
  readonly #prefix: string
  readonly #isMarked: boolean
  readonly #isOwner: boolean

  constructor(signer: string, { isOwner, isMarked }: { isOwner: boolean; isMarked: boolean }) {
    // The caller does not learn the vendor's address.
    this.#prefix = `${ours}${createHash('sha256').update(signer).digest('hex').slice(0, 12)}.`
    this.#isMarked = isMarked && !isOwner
    this.#isOwner = isOwner
  }

  /** Whether `write` changes signatures. */
  get writes(): boolean {
    return this.#isMarked
  }

  /** Whether the signer is the vendor that the wire comes from; on Messages these are Claude's models. */
  get isOfOwner(): boolean {
    return this.#isOwner
  }

  /** In place of a signature, for a block that the vendor has not signed; undefined for a vendor that signs every block. */
  get unsigned(): string | undefined {
    return this.#isOwner ? undefined : this.#prefix
  }

  /** The signature as callers get it. */
  write(signature: string): string {
    return this.#isMarked ? this.#prefix + signature : signature
  }

  /** The vendor's own signature, empty for a block that it has not signed; undefined for another vendor's, or none. */
  read(signature: unknown): string | undefined {
    if (typeof signature !== 'string' || signature === '') return undefined
    if (signature.startsWith(this.#prefix)) return signature.slice(this.#prefix.length)
    return this.#isMarked || isOurs(signature) ? undefined : signature
  }
}

/** Whether this is a vendor's signature behind a mark, or another wire's that was sealed here: no vendor of chat knows it. */
export const isOurs = (signature: unknown): boolean =>
  typeof signature === 'string' && signature.startsWith(ours)

/** The marks of the models of a provider. */
export function reasoningMarks(
  wire: SigningWire,
  { baseUrl, isOneOfSeveralSigners = false }: SigningAddress,
): (upstreamModel: string) => ReasoningMark {
  const marks = new Map<string, ReasoningMark>()
  return (upstreamModel) => {
    const known = marks.get(upstreamModel)
    if (known) return known
    const signer = signerOf(baseUrl, upstreamModel)
    const mark = new ReasoningMark(signer, {
      isOwner: isOwner[wire](signer),
      isMarked: isOneOfSeveralSigners,
    })
    marks.set(upstreamModel, mark)
    return mark
  }
}
