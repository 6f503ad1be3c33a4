/** Reads what common clients send: further members are ignored, and those that are used are checked strictly. */
import type { Challenge } from '#cloud/app-users'
import { fail, type Localized } from '#platform/errors'
import type { AppCall } from '../area.ts'
import { reasons } from './phrases.ts'

export type JsonBody = Readonly<Record<string, unknown>>

const bodyBytes = 64 * 1024

export const invalid = (why: Localized, param?: string): never =>
  fail('APP_USER_INVALID', { why }, param === undefined ? {} : { param })

/** A missing body counts as an object without members. */
export async function readBody(call: AppCall): Promise<JsonBody> {
  const body = (await call.json(bodyBytes)) ?? {}
  return typeof body === 'object' && !Array.isArray(body) ? (body as JsonBody) : invalid(reasons.object)
}

/** Returns undefined where the member is absent, null or empty. */
export function textOf(body: JsonBody, name: string): string | undefined {
  const value = body[name]
  if (value === undefined || value === null || value === '') return undefined
  return typeof value === 'string' ? value : invalid(reasons.text(name), name)
}

export const redirectOf = ({ query }: AppCall, body: JsonBody = {}): string | null =>
  query.get('redirect_to') ?? textOf(body, 'redirect_to') ?? null

const challengeReason = {
  en: 'code_challenge has 43 to 128 letters, digits and -._~, with code_challenge_method s256 or plain.',
  fa: 'code_challenge دارای ۴۳ تا ۱۲۸ حرف و رقم لاتین و -._~ است و code_challenge_method برابر s256 یا plain.',
}

export function challengeOf(body: JsonBody): Challenge | undefined {
  const challenge = textOf(body, 'code_challenge')
  if (challenge === undefined) return undefined
  const method = (textOf(body, 'code_challenge_method') ?? 'plain').toLowerCase()
  if (method !== 's256' && method !== 'plain') return invalid(challengeReason, 'code_challenge_method')
  // Some clients send 56 bytes in hexadecimal.
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(challenge)) return invalid(challengeReason, 'code_challenge')
  return { challenge, method }
}

/** Refuses a phone number in any body: it is no address here. */
export function refusePhone(body: JsonBody): void {
  if (textOf(body, 'phone') !== undefined) fail('APP_USER_NOT_OFFERED', { what: 'phone' })
}
