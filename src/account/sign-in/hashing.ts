/** Hashes passwords with argon2id off the event loop, a few at once; those who wait take turns. */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

type Derive = (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>
const deriveArgon2 = promisify(argon2) as Derive

/** The minimum that OWASP recommends (19 MiB, two passes), which takes 23 ms of a core here. */
const hashParameters = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagLength = 32
/** The four threads of Node also read files and resolve names. */
const atOnce = 2
const maxWaitingPerSubject = 32
const maxWaiting = 512
/** Of these places so many are kept for whoever is known, so that a flood from many networks keeps no known browser out. */
const placesOfKnown = 64

const shape =
  /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

/** Whether this is a hash with our parameters: an imported hash may not cost more than one that is made here. */
export const isPasswordHash = (hash: string): boolean => read(hash) !== undefined

function read(hash: string): { parameters: typeof hashParameters; salt: Buffer; tag: Buffer } | undefined {
  const [, m, t, p, salt, tag] = shape.exec(hash) ?? []
  const isUsual =
    Number(m) === hashParameters.memory &&
    Number(t) === hashParameters.passes &&
    Number(p) === hashParameters.parallelism
  if (!isUsual) return undefined
  return { parameters: hashParameters, salt: Buffer.from(salt!, 'base64'), tag: Buffer.from(tag!, 'base64') }
}

const bare = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

/** Hashes and compares the passwords of one kind of people. Texts are normalised by the caller. */
export interface PasswordHashing {
  /** Returns the hash in PHC form. Throws what `refuse` throws if too many wait. */
  hash(subject: string, password: string): Promise<string>
  /** Whether a password is right; takes the same time where there is no hash. Some places are kept for subjects that are known (`isKnown`). Throws what `refuse` throws if too many wait. */
  matches(
    subject: string,
    password: string,
    hash: string | null | undefined,
    options?: { isKnown?: boolean },
  ): Promise<boolean>
}

/** The turns of one process: two hashes are computed at once, whoever asks for them. */
export class HashingTurns {
  readonly #derive: Derive
  readonly #waiting = new Map<string, (() => void)[]>()
  #running = 0

  /** `derive` is argon2id of the runtime; tests of the turns alone may give another one. */
  constructor(derive: Derive = deriveArgon2) {
    this.#derive = derive
  }

  /**
   * Returns the hashing for one kind of people, whose subjects take turns with those of all other kinds. At most 32 wait for a subject and 512 for
   * the kind, 64 of them for known subjects alone; for another one `refuse` throws.
   */
  hashingFor(kind: string, refuse: () => never): PasswordHashing {
    const queue = { kind, refuse, waitingCount: 0 }
    const run = (subject: string, password: string, salt: Buffer, isKnown = false) =>
      this.#run(queue, { subject, isKnown }, { ...hashParameters, message: password, nonce: salt, tagLength })
    return {
      async hash(subject, password) {
        const salt = randomBytes(saltBytes)
        const tag = await run(subject, password, salt)
        return `$argon2id$v=19$m=${hashParameters.memory},t=${hashParameters.passes},p=${hashParameters.parallelism}$${bare(salt)}$${bare(tag)}`
      },
      async matches(subject, password, hash, { isKnown } = {}) {
        const known = hash ? read(hash) : undefined
        const tag = await run(subject, password, known?.salt ?? Buffer.alloc(saltBytes), isKnown)
        return known !== undefined && timingSafeEqual(tag, known.tag)
      },
    }
  }

  async #run(queue: Queue, { subject, isKnown }: Waiter, parameters: Argon2Parameters): Promise<Buffer> {
    await this.#turn(queue, `${queue.kind}\0${subject}`, isKnown ? maxWaiting : maxWaiting - placesOfKnown)
    try {
      return await this.#derive('argon2id', parameters)
    } finally {
      this.#next()
    }
  }

  async #turn(queue: Queue, subject: string, places: number): Promise<void> {
    if (this.#running < atOnce) {
      this.#running++
      return
    }
    const own = this.#waiting.get(subject) ?? []
    if (own.length >= maxWaitingPerSubject || queue.waitingCount >= places) queue.refuse()
    queue.waitingCount++
    this.#waiting.set(subject, own)
    await new Promise<void>((resolve) => own.push(resolve))
    queue.waitingCount--
  }

  /** The turn passes on to the next subject, which then stands behind all others. */
  #next(): void {
    const [subject, own] = this.#waiting.entries().next().value ?? []
    if (subject === undefined || own === undefined) {
      this.#running--
      return
    }
    this.#waiting.delete(subject)
    const first = own.shift()!
    if (own.length > 0) this.#waiting.set(subject, own)
    first()
  }
}

interface Waiter {
  subject: string
  isKnown: boolean
}

interface Queue {
  kind: string
  refuse: () => never
  waitingCount: number
}
