/** How people sign up, sign in, and change how they sign in. */
import { totpOf } from '../../tests/harness/totp.ts'
import { linkIn } from './ask-people.ts'
import type { Body, Recorder } from './recorder.ts'
import { openPage, type Page } from './session.ts'
import type { Site } from './site.ts'

const email = 'newcomer@example.org'
const password = 'چهار واژه از باران'
const stepMs = 30_000

export async function askSignIn(recorder: Recorder, site: Site): Promise<void> {
  const page = openPage()
  const at: Scene = {
    site,
    recorder,
    ask: (name, path, json, of = page, method = 'POST') =>
      recorder.ask(name, method, path, { ...of, ...(json && { json }) }),
  }
  await recorder.ask('ways to sign in', 'GET', '/v1/sign-in/methods', page)
  await askSignUp(at)
  await askStepUp(at)
  await askFactors(at)
  await askIdentities(at, page)
  await askProviders(at)
  await askAddress(at)
  await askCodeAndRecovery(at)
  await askPhone(at)
}

interface Scene {
  site: Site
  recorder: Recorder
  /** Asks by the page of the person; `of`: by another one. */
  ask(name: string, path: string, json?: object, of?: Page, method?: string): Promise<Body>
}

/** The code in the newest mail to an address, once as many have come. */
const codeTo = async ({ mails }: Site, address: string, count: number): Promise<string> =>
  /\b\d{6}\b/.exec((await mails.mailTo(address, count)).text)![0]

async function askSignUp({ site, ask }: Scene): Promise<void> {
  const json = { email, password, display_name: 'سارا', locale: 'fa' }
  await ask('sign-up', '/v1/sign-up', json)
  await ask('sign-up: a weak password', '/v1/sign-up', { ...json, password: 'qwertyuiop' })
  await ask('sign-up: no address', '/v1/sign-up', { ...json, email: 'nobody' })
  await ask('sign-up: a wrong code', '/v1/sign-up/confirm', { email, code: 'x' })
  await ask('sign-up: the code', '/v1/sign-up/confirm', { email, code: await codeTo(site, email, 1) })
  const given = { email, password }
  await ask('sign-in: the password', '/v1/sign-in/password', given)
  await ask('sign-in: a wrong password', '/v1/sign-in/password', { ...given, password: 'wrong' }, openPage())
}

async function askStepUp({ site, ask }: Scene): Promise<void> {
  await ask('step-up: the password', '/v1/step-up/password', { password })
  await ask('step-up: a wrong password', '/v1/step-up/password', { password: 'wrong' })
  await ask('step-up: a code, please', '/v1/step-up/code')
  const code = await codeTo(site, email, 2)
  await ask('step-up: a wrong code', '/v1/step-up/code/confirm', { code: 'x' })
  await ask('step-up: the code', '/v1/step-up/code/confirm', { code })
  await ask('another password', '/v1/me/password', { password: `${password} و برف` }, undefined, 'PUT')
  await ask('a weak password', '/v1/me/password', { password: 'qwertyuiop' }, undefined, 'PUT')
}

async function askFactors({ ask }: Scene): Promise<void> {
  const factors = '/v1/me/factors'
  const nothing = (name: string, method: string, target: string) =>
    ask(name, target, undefined, undefined, method)
  await ask('factors: recovery codes for nothing', '/v1/me/recovery-codes')
  const { id, secret } = await ask('factors: begin an app', `${factors}/totp`, { name: 'Phone' })
  await ask('factors: a wrong first code', `${factors}/${id}/confirm`, { code: '0' })
  const nowMs = Date.now()
  await ask('factors: the first code', `${factors}/${id}/confirm`, { code: totpOf(secret, nowMs) })
  await nothing('factors', 'GET', factors)
  await ask('factors: rename', `${factors}/${id}`, { name: 'Old phone' }, undefined, 'PATCH')
  await ask('step-up: a wrong code of an app', '/v1/step-up/totp', { code: '0' })
  await ask('step-up: the code of an app', '/v1/step-up/totp', { code: totpOf(secret, nowMs + stepMs) })
  const { recovery_codes: codes } = await ask('factors: new recovery codes', '/v1/me/recovery-codes')
  const other = openPage()
  const given = { email, password: `${password} و برف` }
  await ask('sign-in: the first of two factors', '/v1/sign-in/password', given, other)
  await ask('sign-in: a wrong second factor', '/v1/sign-in/second-factor', { recovery_code: 'x' }, other)
  const both = { code: '123456', recovery_code: codes[0] }
  await ask('sign-in: two second factors', '/v1/sign-in/second-factor', both, other)
  await ask('sign-in: the second factor', '/v1/sign-in/second-factor', { recovery_code: codes[0] }, other)
  await nothing('factors: remove', 'DELETE', `${factors}/${id}`)
}

async function askAddress({ site, ask }: Scene): Promise<void> {
  const next = 'newcomer-moved@example.org'
  await ask('another address', '/v1/me/email', { email: next })
  await ask('another address: none', '/v1/me/email', { email: 'nobody' })
  await ask('another address: a wrong code', '/v1/me/email/confirm', { email: next, code: 'x' })
  const before = site.mails.to(email).length
  const code = await codeTo(site, next, 1)
  await ask('another address: the code', '/v1/me/email/confirm', { email: next, code })
  const token = linkIn((await site.mails.mailTo(email, before + 1)).text)
  const page = openPage()
  await ask('links: what one is for', '/v1/links/read', { token }, page)
  await ask('links: none', '/v1/links/read', { token: 'x' }, page)
  await ask('links: redeem', '/v1/links/redeem', { token }, page)
  await ask('links: redeem twice', '/v1/links/redeem', { token }, page)
}

/** Somebody who signed up in another browser. */
async function askCodeAndRecovery({ site, ask }: Scene): Promise<void> {
  const page = openPage()
  const who = 'forgetful@example.org'
  await ask(
    'sign-up: without a password',
    '/v1/sign-up',
    { email: who, display_name: 'نیما', locale: 'fa' },
    page,
  )
  await ask(
    'sign-up: its code',
    '/v1/sign-up/confirm',
    { email: who, code: await codeTo(site, who, 1) },
    page,
  )
  await ask('sign-in: a code, please', '/v1/sign-in/code', { email: who }, page)
  await ask('sign-in: a code for nobody', '/v1/sign-in/code', { email: 'no-one@example.org' }, page)
  const code = await codeTo(site, who, 2)
  await ask('sign-in: a wrong code', '/v1/sign-in/code/confirm', { email: who, code: 'x' }, page)
  await ask('sign-in: the code', '/v1/sign-in/code/confirm', { email: who, code }, page)
  await ask('recovery', '/v1/recovery', { email: who }, page)
  const token = linkIn((await site.mails.mailTo(who, 3)).text)
  await ask('recovery: a weak password', '/v1/recovery/confirm', { token, password: 'qwertyuiop' }, page)
  await ask('recovery: another password', '/v1/recovery/confirm', { token, password }, page)
  await ask('recovery: twice', '/v1/recovery/confirm', { token, password }, page)
}

/** The person of `askCodeAndRecovery`, signed in by a password. */
async function askPhone({ site, ask }: Scene): Promise<void> {
  const page = openPage()
  const phone = '09123456789'
  await ask(
    'sign-in: for a phone',
    '/v1/sign-in/password',
    { email: 'forgetful@example.org', password },
    page,
  )
  await ask('phone: a code, please', '/v1/me/phone', { phone: '۰۹۱۲ ۳۴۵ ۶۷۸۹' }, page)
  await ask('phone: none', '/v1/me/phone', { phone: '0912' }, page)
  await ask('phone: a wrong code', '/v1/me/phone/confirm', { phone, code: 'x' }, page)
  const code = await site.messages.codeTo(phone)
  await ask('phone: the code', '/v1/me/phone/confirm', { phone, code }, page)
  const other = openPage()
  await ask('sign-in: a code by SMS, for nobody', '/v1/sign-in/phone', { phone: '09350000000' }, other)
  await ask(
    'sign-in: a code by SMS, to another country',
    '/v1/sign-in/phone',
    { phone: '+4915123456789' },
    other,
  )
  await ask('sign-in: a wrong code of an SMS', '/v1/sign-in/phone/confirm', { phone, code: 'x' }, other)
  // A code to a number comes a minute after the one before: that minute is taken away by hand.
  await site.db.query('delete from people.attempts')
  await site.db.query("update people.text_messages set created_at = created_at - interval '1 minute'")
  await ask('sign-in: a code by SMS, please', '/v1/sign-in/phone', { phone }, other)
  const next = await site.messages.codeTo(phone, 2)
  await ask('sign-in: the code of an SMS', '/v1/sign-in/phone/confirm', { phone, code: next }, other)
  await ask('phone: remove', '/v1/me/phone', undefined, page, 'DELETE')
  await ask('phone: remove none', '/v1/me/phone', undefined, page, 'DELETE')
}

async function askIdentities({ site, recorder }: Scene, page: Page): Promise<void> {
  await site.db.query(
    `insert into people.identities (issuer, subject, person_id, provider_id, linked_at, last_used_at)
      select 'https://id.example', 'sara', person_id, 'acme', now(), now() from people.addresses where email = $1`,
    [email],
  )
  await recorder.ask('identities', 'GET', '/v1/me/identities', page)
  await recorder.ask('identities: unlink', 'DELETE', '/v1/me/identities/acme', page)
}

/** The site has no provider, and browsers make no passkeys at its address. */
async function askProviders({ ask }: Scene): Promise<void> {
  await ask('sign-in: a provider that there is not', '/v1/sign-in/openid/acme', {})
  const url = 'http://kherad.test/sign-in/openid/acme?code=x&state=y'
  await ask('sign-in: back from a provider, without a beginning', '/v1/sign-in/openid/finish', { url })
  await ask('sign-in: a passkey, please', '/v1/sign-in/passkey/options')
  await ask('step-up: a passkey, please', '/v1/step-up/passkey/options')
  await ask('factors: a passkey, please', '/v1/me/passkeys/options')
}
