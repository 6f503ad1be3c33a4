import type { EnteringApp } from '#account/entering'
import type { PhonesApp } from '#account/phones'
import type { PasswordHashing } from '#account/sign-in'
import type { Sessions } from '#platform/auth'
import { routesOf } from '#platform/http'

/** The slice of the app that the routes of sign-in use. */
export interface SignInApp extends EnteringApp, PhonesApp {
  /** Hashes passwords of people. */
  passwords: PasswordHashing
  /** Finds the session of a browser, on routes that ask for none. */
  sessions: Sessions
}

export const route = routesOf<SignInApp>()
