/** The app of a cloud, as its users have it: an unchanged client, and plain requests beside it. */
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import type { TestCloud } from '../../harness/world.ts'

/** A browser tab or a phone of its own: nothing is shared with other clients. */
export const newClient = (
  cloud: Pick<TestCloud, 'pathUrl' | 'publicKey'>,
  { key = cloud.publicKey, flowType = 'implicit' }: { key?: string; flowType?: 'implicit' | 'pkce' } = {},
): SupabaseClient => {
  const kept = new Map<string, string>()
  return createClient(cloud.pathUrl, key, {
    auth: {
      autoRefreshToken: false,
      detectSessionInUrl: false,
      flowType,
      storageKey: `sb-${Math.random()}`,
      storage: {
        getItem: (name) => kept.get(name) ?? null,
        setItem: (name, value) => void kept.set(name, value),
        removeItem: (name) => void kept.delete(name),
      },
    },
  })
}

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they were answered.
  body: any
  text: string
  headers: Headers
}

/** A request without the client: it can be wrong in every way. */
export async function ask(
  cloud: Pick<TestCloud, 'pathUrl' | 'publicKey'>,
  method: string,
  path: string,
  {
    body,
    token,
    key = cloud.publicKey,
    headers = {},
  }: { body?: unknown; token?: string; key?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(`${cloud.pathUrl}/auth/v1${path}`, {
    method,
    redirect: 'manual',
    headers: {
      apikey: key,
      'x-supabase-api-version': '2024-01-01',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const { status, headers: answered } = response
  return { status, headers: answered, text, body: text === '' ? undefined : parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

let people = 0
/** An address that nobody has yet. */
export const newAddress = (): string => `person-${++people}@example.com`
export const password = 'گذرواژه-۱۲۳'
