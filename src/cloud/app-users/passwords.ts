/** Hashes passwords of app users with argon2id off the event loop, a few at once; clouds take turns. */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { fail } from '#platform/errors'
import { latinDigits } from '#platform/words'

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>

/** The minimum that OWASP recommends (19 MiB, two passes), which takes 23 ms of a core here. */
const hashParameters = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagLength = 32
/** The four threads of Node also read files and resolve names. */
const atOnce = 2
const maxWaitingPerCloud = 32
const maxWaiting = 512

export const minPasswordLength = 6
/** The bound keeps whole books away from argon2; a passphrase of Persian words fits. */
export const maxPasswordBytes = 256

/**
 * Returns the same password whichever keyboard typed it: composed (RFC 8265), with Latin digits and Persian forms of two letters of Arabic keyboards.
 */
export const normalizedPassword = (password: string): string =>
  latinDigits(password.normalize('NFC')).replaceAll('ي', 'ی').replaceAll('ك', 'ک')

/** Returns the password as it is hashed. Throws APP_USER_PASSWORD_WEAK. */
export function readPassword(password: string): string {
  const bound = { min: minPasswordLength, max: maxPasswordBytes }
  if (password.length > maxPasswordBytes) fail('APP_USER_PASSWORD_WEAK', bound)
  const composed = normalizedPassword(password)
  const isFitting =
    [...composed].length >= minPasswordLength && Buffer.byteLength(composed) <= maxPasswordBytes
  if (!isFitting) fail('APP_USER_PASSWORD_WEAK', bound)
  return composed
}

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

/** Hashes for each cloud in turn. */
export class PasswordHashing {
  readonly #waiting = new Map<string, (() => void)[]>()
  #waitingCount = 0
  #running = 0

  /** Returns the hash in PHC form. Throws APP_USERS_BUSY. */
  async hash(cloudId: string, password: string): Promise<string> {
    const salt = randomBytes(saltBytes)
    const tag = await this.#run(cloudId, { ...hashParameters, message: password, nonce: salt, tagLength })
    return `$argon2id$v=19$m=${hashParameters.memory},t=${hashParameters.passes},p=${hashParameters.parallelism}$${bare(salt)}$${bare(tag)}`
  }

  /** Whether a password is right; takes the same time where there is no hash. Throws APP_USERS_BUSY. */
  async matches(cloudId: string, password: string, hash: string | null | undefined): Promise<boolean> {
    const known = hash ? read(hash) : undefined
    const salt = known?.salt ?? Buffer.alloc(saltBytes)
    const tag = await this.#run(cloudId, { ...hashParameters, message: password, nonce: salt, tagLength })
    return known !== undefined && timingSafeEqual(tag, known.tag)
  }

  async #run(cloudId: string, parameters: Argon2Parameters): Promise<Buffer> {
    await this.#turn(cloudId)
    try {
      return await derive('argon2id', parameters)
    } finally {
      this.#next()
    }
  }

  async #turn(cloudId: string): Promise<void> {
    if (this.#running < atOnce) {
      this.#running++
      return
    }
    const own = this.#waiting.get(cloudId) ?? []
    if (own.length >= maxWaitingPerCloud || this.#waitingCount >= maxWaiting)
      fail('APP_USERS_BUSY', {}, { retryAfterMs: 2_000 })
    this.#waitingCount++
    this.#waiting.set(cloudId, own)
    await new Promise<void>((resolve) => own.push(resolve))
  }

  /** The turn passes on to the next cloud, which then stands behind all others. */
  #next(): void {
    const [cloudId, own] = this.#waiting.entries().next().value ?? []
    if (cloudId === undefined || own === undefined) {
      this.#running--
      return
    }
    this.#waiting.delete(cloudId)
    const first = own.shift()!
    if (own.length > 0) this.#waiting.set(cloudId, own)
    this.#waitingCount--
    first()
  }
}
