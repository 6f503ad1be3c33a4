/** The key that encrypts the secrets of one database: the operator's, or one in a file that is created on first use. */
import type { Db } from '#platform/db'
import { fail, StartRefused } from '#platform/errors'
import type { Log } from '#platform/log'
import { makeKeyFile, readKeyFile } from './key-file.ts'
import { otherKey } from './phrases.ts'
import { openWith, type SealKey, type Signer, sealKeyOf, sealWith, signerOf } from './seal.ts'
import { claimKeyId, readKeyId } from './store.ts'

/** Encrypts and decrypts values that must not be readable in the database. */
export interface Secrets {
  /** Encrypts; only `open` with the same `belongsTo` can read it. Throws SECRETS_SEALED. */
  seal(plain: string, belongsTo: string): Promise<string>
  /** Decrypts. Throws SECRETS_SEALED if this server has another key. */
  open(sealed: string, belongsTo: string): Promise<string>
  /** The same on every machine of this database. Throws SECRETS_SEALED. */
  signer(purpose: string): Promise<Signer>
  /** To check what was signed: undefined where nothing ever was, so that no stranger's request makes a key. Throws SECRETS_SEALED. */
  knownSigner(purpose: string): Promise<Signer | undefined>
}

export interface SecretsOptions {
  db: Db
  log: Log
  /** Of the operator (`KHERAD_SECRET`). */
  secret?: string | undefined
  /** Read where there is no such secret, and made when something is to be sealed for the first time. */
  file: string
}

/** Throws `StartRefused` for a database whose secrets another key has sealed. */
export async function openSecrets(options: SecretsOptions): Promise<Secrets> {
  const vault = new Vault(options)
  await vault.requireOwnKey()
  return vault
}

class Vault implements Secrets {
  readonly #options: SecretsOptions
  /** The key, once the database is known to have no other. */
  #key: SealKey | undefined

  constructor(options: SecretsOptions) {
    this.#options = options
  }

  async requireOwnKey(): Promise<void> {
    const sealedBy = await readKeyId(this.#options.db)
    if (sealedBy !== undefined && (await this.#ownKey())?.id !== sealedBy)
      throw new StartRefused(otherKey.en, otherKey.fa)
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
    const isKnown = this.#key !== undefined || (await readKeyId(this.#options.db)) !== undefined
    return isKnown ? this.signer(purpose) : undefined
  }

  /** The operator's key or that of the file; undefined where neither is there. */
  async #ownKey(): Promise<SealKey | undefined> {
    const secret = this.#options.secret ?? (await readKeyFile(this.#options.file))
    return secret === undefined ? undefined : sealKeyOf(secret)
  }

  async #claimedKey(): Promise<SealKey> {
    if (this.#key) return this.#key
    const { db, file } = this.#options
    let own = await this.#ownKey()
    if (!own && (await readKeyId(db)) !== undefined) {
      // Another process of this machine may have made it in between; a second machine that would make a key of its own could open nothing.
      own = await this.#ownKey()
      if (!own) return this.#refuse()
    }
    own ??= sealKeyOf(await makeKeyFile(file))
    await claimKeyId(db, own.id)
    if ((await readKeyId(db)) !== own.id) return this.#refuse()
    this.#key = own
    return own
  }

  #refuse(): never {
    this.#options.log.error({}, otherKey.en)
    return fail('SECRETS_SEALED', {})
  }
}
