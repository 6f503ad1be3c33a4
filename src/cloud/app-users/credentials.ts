/** Addresses and passwords as users of an app write them. */
import {
  appPasswordRules as appRules,
  emailAddress,
  examinePassword,
  normalizedPassword,
} from '#account/sign-in'
import { fail } from '#platform/errors'

export const minPasswordLength = appRules.minLength

/** Returns an address as it is stored and compared. Throws APP_USER_EMAIL_INVALID. */
export const readEmail = (text: unknown): string => emailAddress(text) ?? fail('APP_USER_EMAIL_INVALID', {})

/** Returns a new password as it is hashed. Throws APP_USER_PASSWORD_WEAK. */
export function readPassword(password: string): string {
  const examined = examinePassword(appRules, password)
  return 'password' in examined
    ? examined.password
    : fail('APP_USER_PASSWORD_WEAK', { min: appRules.minLength, max: appRules.maxBytes })
}

/** Returns a given password as it is compared; a text that is longer than any password as an empty one. */
export const givenPassword = (password: string): string => normalizedPassword(appRules, password) ?? ''
