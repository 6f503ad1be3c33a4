/** The key that encrypts the secrets of one database: the operator's, or one in a file that is created on first use. */
import type { Db } from '#platform/db'
import { fail, StartRefused } from '#platform/errors'
import type { Log } from '#platform/log'
import type { Problem } from '#platform/readiness'
import { makeKeyFile, readKeyFile } from './key-file.ts'
import { keyFileGone, keyFileOther, otherKey, unreadable } from './phrases.ts'
import { openWith, type SealKey, type Signer, sealKeyOf, sealWith, signerOf } from './seal.ts'
import { addProof, claimKeyId, readSeal, type Seal } from './store.ts'

/** Encrypts and decrypts values that must not be readable in the database. */
export interface Secrets {
  /** Encrypts a text; only `open` with the same `belongsTo` can read it. Throws SECRETS_SEALED. */
  seal(plain: string, belongsTo: string): Promise<string>
  /** Decrypts a text. Throws SECRETS_SEALED if this server has another key. */
  open(sealed: string, belongsTo: string): Promise<string>
  /** A signer, which is the same on every machine of this database. Throws SECRETS_SEALED. */
  signer(purpose: string): Promise<Signer>
  /** A signer to check signatures: undefined if no key exists, so that no stranger's request creates one. Throws SECRETS_SEALED. */
  knownSigner(purpose: string): Promise<Signer | undefined>
  /** What is wrong with the key now: a problem blocks if this process can open nothing, and warns if the next start would be refused. */
  problem(): Promise<Problem | undefined>
}

export interface SecretsOptions {
  db: Db
  log: Log
  /** The operator's secret (`KHERAD_SECRET`). */
  secret?: string | undefined
  /** The key file. It is read if there is no such secret, and created when something is sealed for the first time. */
  file: string
}

/** Opens the vault. Throws `StartRefused` for a database whose secrets another key has sealed. */
export async function openSecrets(options: SecretsOptions): Promise<Secrets> {
  const vault = new Vault(options)
  await vault.requireOwnKey()
  return vault
}

/** The owner of the proof; no row of another room has this name. */
const proofOwner = 'secrets.seal'
/** The timeout of the query for readiness, in milliseconds. */
const readyMs = 2_000

const newProof = (key: SealKey): Seal => ({
  key_id: key.id,
  proof: sealWith(key, 'kherad', proofOwner),
})

/** Whether the key opens the proof; the id of the key alone is not trusted. */
function canOpenProof(key: SealKey, { key_id, proof }: Seal): boolean {
  if (key.id !== key_id) return false
  try {
    return proof === null || openWith(key, proof, proofOwner) === 'kherad'
  } catch {
    return false
  }
}

/** Whether the key that a start would use is that of the database: `unused` if nothing was ever sealed. */
export type SealState = 'unused' | 'proven' | 'missing' | 'other'

/** Examines the key and changes nothing. */
export async function examineSeal({
  db,
  secret,
  file,
}: Pick<SecretsOptions, 'db' | 'secret' | 'file'>): Promise<SealState> {
  const seal = await readSeal(db)
  if (!seal) return 'unused'
  const text = secret ?? (await readKeyFile(file))
  if (text === undefined) return 'missing'
  return canOpenProof(sealKeyOf(text), seal) ? 'proven' : 'other'
}

class Vault implements Secrets {
  readonly #options: SecretsOptions
  /** The key, once the database is known to have no other. */
  #key: SealKey | undefined

  constructor(options: SecretsOptions) {
    this.#options = options
  }

  async requireOwnKey(): Promise<void> {
    const { db } = this.#options
    const seal = await readSeal(db)
    if (!seal) return
    const own = await this.#ownKey()
    if (!own || !canOpenProof(own, seal)) throw new StartRefused(otherKey.en, otherKey.fa)
    this.#key = own
    if (seal.proof === null) await addProof(db, newProof(own))
  }

  async problem(): Promise<Problem | undefined> {
    const { db, secret, file } = this.#options
    const seal = await readSeal(db, readyMs)
    if (!seal) return undefined
    const own = this.#key ?? (await this.#ownKey())
    if (!own || !canOpenProof(own, seal)) return { code: 'sealing_key', message: unreadable, blocks: true }
    if (secret !== undefined) return undefined
    const kept = await readKeyFile(file)
    if (kept === undefined) return { code: 'sealing_key_file', message: keyFileGone, blocks: false }
    return sealKeyOf(kept).id === own.id
      ? undefined
      : { code: 'sealing_key_file', message: keyFileOther, blocks: false }
  }

  async seal(plain: string, belongsTo: string): Promise<string> {
    return sealWith(await this.#claimedKey(), plain, belongsTo)
  }

  async open(sealed: string, belongsTo: string): Promise<string> {
    return openWith(await this.#claimedKey(), sealed, belongsTo)
  }

  async signer(purpose: string): Promise<Signer> {
    return signerOf(await this.#claimedKey(), purpose)
  }

  async knownSigner(purpose: string): Promise<Signer | undefined> {
    const isKnown = this.#key !== undefined || (await readSeal(this.#options.db)) !== undefined
    return isKnown ? this.signer(purpose) : undefined
  }

  /** The operator's key, or that of the file; undefined if neither exists. */
  async #ownKey(): Promise<SealKey | undefined> {
    const secret = this.#options.secret ?? (await readKeyFile(this.#options.file))
    return secret === undefined ? undefined : sealKeyOf(secret)
  }

  async #claimedKey(): Promise<SealKey> {
    if (this.#key) return this.#key
    const { db, file } = this.#options
    let own = await this.#ownKey()
    if (!own && (await readSeal(db)) !== undefined) {
      // Another process of this machine may have created the file meanwhile; a second machine with a key of its own could open nothing.
      own = await this.#ownKey()
      if (!own) return this.#refuse()
    }
    own ??= sealKeyOf(await makeKeyFile(file))
    await claimKeyId(db, newProof(own))
    const seal = await readSeal(db)
    if (!seal || !canOpenProof(own, seal)) return this.#refuse()
    this.#key = own
    return own
  }

  #refuse(): never {
    this.#options.log.error({}, otherKey.en)
    return fail('SECRETS_SEALED', {})
  }
}
