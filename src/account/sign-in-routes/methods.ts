import { passkeyAvailability } from '#account/factors'
import { mailChannel } from '#account/letters'
import type { RequestContext } from '#platform/http'
import type { SignInApp } from './app.ts'
import type { SignInMethods } from './schema.ts'
import { signUpMode } from './sign-up.ts'

/** How people sign in at this address. The answer is the same for everybody. */
export async function listMethods(context: RequestContext<SignInApp>): Promise<SignInMethods> {
  const { app } = context
  const mail = mailChannel(app) === 'mail'
  const passkey = passkeyAvailability(context)
  return {
    password: true,
    code: mail,
    passkey: passkey.available ? { available: true } : { available: false, why: passkey.why },
    openid: app.config.openid.map(({ id, name }) => ({ id, name })),
    sign_up: await signUpMode(app),
    mail,
    sms: app.config.sms !== undefined,
  }
}
