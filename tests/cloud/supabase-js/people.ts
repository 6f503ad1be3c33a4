/** Users of an app, who sign up by themselves; in Node and in a browser alike. */
import type { SupabaseClient } from '@supabase/supabase-js'
import { expect } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: rows have the fields that a test gives them.
export type Client = SupabaseClient<any>

export interface Person {
  client: Client
  id: string
  email: string
  password: string
}

export const newAddress = (): string => `person-${crypto.randomUUID()}@example.com`

export async function signedUp(client: Client): Promise<Person> {
  const [email, password] = [newAddress(), 'گذرواژهٔ بلند ۱۲۳']
  const { data, error } = await client.auth.signUp({ email, password })
  expect(error).toBeNull()
  return { client, id: data.user!.id, email, password }
}

/** What a client keeps of its session, for itself alone: each is a browser of its own. */
export function signedOut(flowType: 'pkce' | 'implicit') {
  const kept = new Map<string, string>()
  return {
    ...{
      autoRefreshToken: false,
      detectSessionInUrl: false,
      flowType,
      storageKey: `sb-${crypto.randomUUID()}`,
    },
    experimental: { passkey: true, recoveryCodes: true },
    storage: {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
      removeItem: (name: string) => void kept.delete(name),
    },
  }
}
