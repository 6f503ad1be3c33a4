import { expect } from 'vitest'
import type { TestCloud } from '../../harness/world.ts'

export interface SignedUp {
  id: string
  token: string
  /** What a request of this user bears. */
  headers: Record<string, string>
}

let users = 0

/** A new user of an app, as its pages make one. */
export async function signUp({ pathUrl, publicKey: apikey }: TestCloud): Promise<SignedUp> {
  const email = `user-${++users}-${Date.now()}@example.com`
  const reply = await fetch(`${pathUrl}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey, 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01' },
    body: JSON.stringify({ email, password: 'گذرواژهٔ درازِ آزمون ۱۲۳' }),
  })
  const body = (await reply.json()) as { access_token: string; user: { id: string } }
  expect(reply.status, JSON.stringify(body)).toBe(200)
  const { access_token: token } = body
  return { id: body.user.id, token, headers: { apikey, authorization: `Bearer ${token}` } }
}
