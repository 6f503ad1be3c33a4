/** Calls that send mails, where the operator has a mail server. */
import { expect } from 'vitest'
import { until } from '../../harness/until.ts'
import type { App } from './app.ts'
import { newAddress } from './people.ts'
import type { Scenario } from './scenarios.ts'

const linkIn = (mail: string): string => /https?:\/\/[^\s"<>]+/.exec(mail)![0]
const codeIn = (mail: string): string => /(?<![\w/-])\d{6}(?![\w/-])/.exec(mail)![0]

/** Signed in by the code of a mail, since addresses are confirmed first. */
async function confirmed(app: App) {
  const [client, email] = [app.client(), newAddress()]
  const { error } = await client.auth.signUp({ email, password: 'گذرواژهٔ بلند ۱۲۳' })
  expect(error).toBeNull()
  const token = codeIn(await app.newestMail(email))
  expect((await client.auth.verifyOtp({ email, token, type: 'signup' })).error).toBeNull()
  return { client, email }
}

export const mailed: Scenario[] = [
  {
    name: 'a link that is mailed signs in by a code that only this browser can exchange',
    calls: ['auth.signInWithOtp', 'auth.exchangeCodeForSession'],
    async run(app) {
      const [client, email] = [app.client(undefined, 'pkce'), newAddress()]
      expect((await client.auth.signInWithOtp({ email })).error).toBeNull()
      const at = new URL(await app.press(linkIn(await app.newestMail(email))))
      const { data, error } = await client.auth.exchangeCodeForSession(at.searchParams.get('code')!)
      expect([error, data.user?.email]).toEqual([null, email])
    },
  },
  {
    name: 'a forgotten password is recovered, and a confirmation mailed again',
    calls: ['auth.resetPasswordForEmail', 'auth.resend'],
    async run(app) {
      const { email } = await confirmed(app)
      const other = app.client()
      expect((await other.auth.resetPasswordForEmail(email)).error).toBeNull()
      const unconfirmed = newAddress()
      await other.auth.signUp({ email: unconfirmed, password: 'گذرواژهٔ بلند ۱۲۳' })
      const first = await app.newestMail(unconfirmed)
      expect((await other.auth.resend({ type: 'signup', email: unconfirmed })).error).toBeNull()
      await until(async () => (await app.newestMail(unconfirmed)) !== first)
    },
  },
  {
    name: 'a signed-in user confirms a change by a code, and the service key invites',
    calls: ['auth.reauthenticate', 'auth.admin.inviteUserByEmail'],
    async run(app) {
      const { client } = await confirmed(app)
      expect((await client.auth.reauthenticate()).error).toBeNull()
      const email = newAddress()
      expect((await app.service().auth.admin.inviteUserByEmail(email)).error).toBeNull()
      expect(await app.newestMail(email)).toMatch(/https?:\/\//)
    },
  },
]
