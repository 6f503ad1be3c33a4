/** The key that encrypts the secrets of one database: the operator's, or one in a file that is created on first use. */
import type { Db } from '#platform/db'
import { fail, StartRefused } from '#platform/errors'
import type { Log } from '#platform/log'
import { makeKeyFile, readKeyFile } from './key-file.ts'
import { otherKey } from './phrases.ts'
import { openWith, type SealKey, sealKeyOf, sealWith } from './seal.ts'
import { claimKeyId, readKeyId } from './store.ts'

/** Encrypts and decrypts values that must not be readable in the database. */
export interface Secrets {
  /** Encrypts; only `open` with the same `belongsTo` can read it. Throws SECRETS_SEALED. */
  seal(plain: string, belongsTo: string): Promise<string>
  /** Decrypts. Throws SECRETS_SEALED if this server has another key. */
  open(sealed: string, belongsTo: string): Promise<string>
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
  const { db, log, file } = options
  let known: SealKey | undefined
  const atHand = async (): Promise<SealKey | undefined> => {
    const secret = options.secret ?? (await readKeyFile(file))
    return secret === undefined ? undefined : sealKeyOf(secret)
  }
  const refused = (): never => {
    log.error({}, otherKey.en)
    return fail('SECRETS_SEALED', {})
  }
  const key = async (): Promise<SealKey> => {
    if (known) return known
    let mine = await atHand()
    // A second machine that creates its own key could decrypt nothing.
    if (!mine && (await readKeyId(db)) !== undefined) return refused()
    mine ??= sealKeyOf(await makeKeyFile(file))
    await claimKeyId(db, mine.id)
    if ((await readKeyId(db)) !== mine.id) return refused()
    known = mine
    return mine
  }

  const sealedBy = await readKeyId(db)
  if (sealedBy !== undefined && (await atHand())?.id !== sealedBy)
    throw new StartRefused(otherKey.en, otherKey.fa)
  return {
    seal: async (plain, belongsTo) => sealWith(await key(), plain, belongsTo),
    open: async (sealed, belongsTo) => openWith(await key(), sealed, belongsTo),
  }
}
