/**
 * Links to stored files for those who can send no key (a page's `<img>`, a chat program, OpenAI's `response_format: url`): a token is bound to one
 * file of one account and to its expiry, and nobody without the server's secret can make one. It is an HMAC-SHA256 in place of a row, so a link
 * costs no transaction. The key is derived from the secret (`KHERAD_SECRET` or `secret.key`) for this purpose alone, so links open on every machine
 * of the database and survive a restart. A link opens for 60 seconds to a day, and no longer than its file lives. Only deleting the file ends it
 * early; revoking the API key that made it does not, since a list of revoked links needs the row that signing saves. What would change our mind:
 * callers who need to end single links early without deleting the file.
 *
 * Forged, expired, deleted and unknown tokens are one 404; the signature is checked before the database is queried, and a stranger's request never
 * creates the server's key. The path is a secret: traces, logs and metrics record the route only, and the answer forbids referrers. Pages of any
 * origin may show the file, with the headers of `GET /v1/files/{id}` (a sandbox without scripts, `nosniff`, SVG as an attachment). A repeat under an
 * `Idempotency-Key` gets the stored answer with its links, which may have expired; `X-File-Ids` names the files for new ones.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Secrets, Signer } from '#platform/secrets'
import type { FilesApp } from './app.ts'
import { type FileRow, findLinked } from './store.ts'

export interface LinkedFile {
  accountId: string
  fileId: string
}

/** Makes tokens; see `openLinks`. */
export type LinkTokens = (file: LinkedFile, expiresAt: Date) => string

const purpose = 'links to files'
/** A token signs the account, the file, and the second of the expiry. */
const idBytes = 16
const secondBytes = 6
const signedBytes = 2 * idBytes + secondBytes
const tokenBytes = signedBytes + 32

/** The pattern of every token. */
export const linkTokenPattern = `^[A-Za-z0-9_-]{${Math.ceil((tokenBytes * 4) / 3)}}$`

/** Returns the function that makes tokens. Throws SECRETS_SEALED. */
export async function openLinks({ secrets }: { secrets: Secrets }): Promise<LinkTokens> {
  const sign = await secrets.signer(purpose)
  return ({ accountId, fileId }, expiresAt) => {
    const signed = Buffer.alloc(signedBytes)
    bytesOf(accountId).copy(signed)
    bytesOf(fileId).copy(signed, idBytes)
    signed.writeUIntBE(Math.floor(expiresAt.getTime() / 1000), 2 * idBytes, secondBytes)
    return Buffer.concat([signed, sign(signed)]).toString('base64url')
  }
}

/** The file of a token; undefined for a token that is forged or expired, or whose file is gone. Throws SECRETS_SEALED. */
export async function findByLink(
  { db, secrets, clock }: Pick<FilesApp, 'db' | 'clock'> & { secrets: Secrets },
  token: string,
): Promise<FileRow | undefined> {
  const now = new Date(clock.nowMs())
  const sign = await secrets.knownSigner(purpose)
  const linked = sign && read(token, sign)
  return linked && now < linked.expiresAt ? findLinked(db, linked, now) : undefined
}

function read(token: string, sign: Signer): (LinkedFile & { expiresAt: Date }) | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // Only one spelling of a token is accepted.
  if (bytes.length !== tokenBytes || bytes.toString('base64url') !== token) return undefined
  const signed = bytes.subarray(0, signedBytes)
  if (!timingSafeEqual(sign(signed), bytes.subarray(signedBytes))) return undefined
  const expiresAt = new Date(signed.readUIntBE(2 * idBytes, secondBytes) * 1000)
  return { accountId: uuidOf(signed, 0), fileId: uuidOf(signed, idBytes), expiresAt }
}

const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')

const uuidOf = (bytes: Buffer, start: number): string =>
  bytes.toString('hex', start, start + idBytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
