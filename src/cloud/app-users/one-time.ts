/** Tokens that act once: each is computed from its id, so that neither database nor queue holds what opens an account. */
import { timingSafeEqual } from 'node:crypto'
import { matchCode, maxCodeTries } from '#account/sign-in'
import type { CloudKey, LiveCloud } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import { type Signer, sha256 } from '#platform/secrets'
import type { AppSignInApp } from './app.ts'
import type { Metadata, UserRow } from './store.ts'
import { insertToken, type Purpose, type TokenRow } from './token-store.ts'

const minuteMs = 60_000
const tokenLength = 43
const proofBytes = 16

export const lifetimeMs: Record<Purpose, number> = {
  signup: 24 * 60 * minuteMs,
  invite: 24 * 60 * minuteMs,
  recovery: 60 * minuteMs,
  magiclink: 60 * minuteMs,
  email_change: 60 * minuteMs,
  reauthentication: 10 * minuteMs,
  pkce: 5 * minuteMs,
}

/** The challenge by which the page that requests a link proves itself later (RFC 7636). */
export interface Challenge {
  challenge: string
  method: 's256' | 'plain'
}

export interface TokenOptions {
  purpose: Purpose
  email: string | null
  redirectTo?: string | null
  challenge?: Challenge | undefined
  passwordHash?: string | undefined
  userMetadata?: Metadata | undefined
}

/** Returns the signer of all clouds' tokens; each token names its cloud. */
export const tokenSigner = ({ secrets }: Pick<AppSignInApp, 'secrets'>): Promise<Signer> =>
  secrets.signer('app user one-time token')

/** What is mailed: a token for a link, and a code of six digits for people to type. */
export interface TokenSecret {
  token: string
  code: string
}

export function secretOf(
  signer: Signer,
  { accountId, cloudId }: CloudKey,
  row: Pick<TokenRow, 'token_id' | 'purpose'>,
): TokenSecret {
  const name = `${accountId}/${cloudId}/${row.token_id}/${row.purpose}`
  const code = signer(Buffer.from(`${name}/code`)).readUIntBE(0, 6) % 1_000_000
  return {
    token: tokenOf(signer, { accountId, cloudId }, idBytes(row.token_id)),
    code: String(code).padStart(6, '0'),
  }
}

/** Returns 43 characters: 16 bytes of id, and 16 bytes that prove that the token was made here. */
function tokenOf(signer: Signer, { accountId, cloudId }: CloudKey, id: Buffer): string {
  const proof = signer(Buffer.from(`${accountId}/${cloudId}/${id.toString('hex')}/token`))
  return Buffer.concat([id, proof.subarray(0, proofBytes)]).toString('base64url')
}

const idBytes = (tokenId: string): Buffer => Buffer.from(tokenId.replaceAll('-', ''), 'hex')

/** Whether the token was made for this cloud, so that guessed tokens wake no database. */
export function isOwnToken(signer: Signer, cloud: CloudKey, token: string): boolean {
  if (token.length !== tokenLength) return false
  const own = tokenOf(signer, cloud, Buffer.from(token, 'base64url').subarray(0, -proofBytes))
  return timingSafeEqual(sha256(own), sha256(token))
}

export async function addToken(
  tx: Tx,
  cloud: CloudKey,
  signer: Signer,
  { user_id }: Pick<UserRow, 'user_id'>,
  options: TokenOptions,
  now: Date,
): Promise<TokenRow & TokenSecret> {
  const { purpose } = options
  const id = { account_id: cloud.accountId, cloud_id: cloud.cloudId, token_id: uuidv7(now.getTime()) }
  const secret = secretOf(signer, cloud, { ...id, purpose })
  const row: TokenRow = {
    ...id,
    hash: sha256(secret.token),
    user_id,
    purpose,
    email: options.email,
    password_hash: options.passwordHash ?? null,
    user_metadata: options.userMetadata ?? null,
    code_challenge: options.challenge?.challenge ?? null,
    code_challenge_method: options.challenge?.method ?? null,
    redirect_to: options.redirectTo ?? null,
    attempts: 0,
    created_at: now,
    expires_at: new Date(now.getTime() + lifetimeMs[purpose]),
  }
  await insertToken(tx, row)
  return { ...row, ...secret }
}

/** Returns a user's open tokens, and the one with this code. With three mails an hour, fifteen of a million codes can be tried. */
export function matchTokens(
  cloud: CloudKey,
  signer: Signer,
  tokens: readonly TokenRow[],
  code: string,
  now: Date,
): { open: TokenRow[]; found: TokenRow | undefined } {
  const open = tokens.filter((token) => token.attempts < maxCodeTries && token.expires_at > now)
  return { open, found: matchCode(open, (token) => secretOf(signer, cloud, token).code, code) }
}

/** Returns the address of a link's page, which is at the API since answers of clouds are never pages. */
export const linkPageUrl = (
  { config }: Pick<AppSignInApp, 'config'>,
  { ref }: Pick<LiveCloud, 'ref'>,
  token: string,
): string => `${config.baseUrl}/app-links/${ref}/${token}`
