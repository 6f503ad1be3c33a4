/** Runs in a browser, as the page of an app that is published as a site. */
import { createClient } from '@supabase/supabase-js'
import { sentAgain } from '../../cloud/sent-again.ts'

export interface PageOptions {
  url: string
  key: string
  collection: string
  serviceKey: string
}

/** What a page of an app does in its first minute; everything that it was answered. */
export async function useApp({ url, key, collection, serviceKey }: PageOptions) {
  const client = createClient(url, key, { global: { fetch: sentAgain(fetch.bind(globalThis)) } })
  const email = `page-${crypto.randomUUID()}@example.com`
  const password = 'گذرواژهٔ بلند ۱۲۳'
  const signedUp = await client.auth.signUp({ email, password })
  const written = await client.from(collection).insert({ title: 'نان بخر' }).select().single()
  const counted = await client.from(collection).select('title', { count: 'exact' }).range(0, 0)
  const token = signedUp.data.session?.access_token
  const headers = { apikey: key, authorization: `Bearer ${token}` }
  const body = JSON.stringify({ name: 'یادداشت.txt', content_base64: btoa('note') })
  const stored = await fetch(`${url}/files`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  }).then((reply) => reply.json() as Promise<{ id: string }>)
  const read = await fetch(`${url}/files/${stored.id}`, { headers })
  const file = [await read.text(), read.headers.get('content-disposition'), read.headers.get('x-request-id')]
  const invoked = await client.functions.invoke('greet', { body: { name: 'مینا' } })
  const channel = await new Promise<unknown[]>((resolve) => {
    client.channel('room').subscribe((state, error) => resolve([state, error?.message]))
  })
  const bucket = await client.storage.from('b').list('')
  const exposed = await fetch(`${url}/files`, { headers: { apikey: serviceKey } })
  const passkey = await client.auth.mfa.enroll({ factorType: 'totp' })
  await client.auth.signOut()
  const after = await client.from(collection).insert({ title: 'x' })
  return {
    ...{
      user: signedUp.data.user?.email,
      email,
      row: written.data,
      count: counted.count,
      first: counted.data,
    },
    ...{ file, function: [invoked.data, invoked.error?.message], channel, bucket: bucket.error?.message },
    ...{ exposed: exposed.status, mfa: passkey.error?.message, after: after.error?.message },
    cookies: (globalThis as unknown as { document: { cookie: string } }).document.cookie,
  }
}
