/** Refusals in the format that common clients know. */
import type { MissingFeature } from '#cloud/app-users'
import { declarationOf, type Failure } from '#platform/errors'
import type { AppArea, AppReply } from '../area.ts'

/** The code of common clients for each of ours; clients and apps act on some of them. */
const codes: Readonly<Record<string, string>> = {
  APP_USER_TOKEN_INVALID: 'bad_jwt',
  APP_USER_TOKEN_EXPIRED: 'bad_jwt',
  APP_USER_SESSION_ENDED: 'session_not_found',
  APP_USER_SIGN_IN_NEEDED: 'no_authorization',
  APP_USER_SERVICE_NEEDED: 'not_admin',
  APP_USER_CREDENTIALS_WRONG: 'invalid_credentials',
  APP_USER_NOT_CONFIRMED: 'email_not_confirmed',
  APP_USER_BLOCKED: 'user_banned',
  APP_USER_EXISTS: 'user_already_exists',
  APP_USER_EMAIL_TAKEN: 'email_exists',
  APP_USER_NOT_FOUND: 'user_not_found',
  APP_USER_SIGNUP_DISABLED: 'signup_disabled',
  APP_USER_ANONYMOUS_OFF: 'anonymous_provider_disabled',
  APP_USER_LIMIT: 'user_limit_reached',
  APP_USER_ANONYMOUS_LIMIT: 'user_limit_reached',
  APP_USER_PASSWORD_WEAK: 'weak_password',
  APP_USER_PASSWORD_SAME: 'same_password',
  APP_USER_EMAIL_INVALID: 'email_address_invalid',
  APP_USER_INVALID: 'validation_failed',
  APP_USER_REFRESH_INVALID: 'refresh_token_not_found',
  APP_USER_REFRESH_REUSED: 'refresh_token_already_used',
  APP_USER_LINK_INVALID: 'otp_expired',
  APP_USER_VERIFIER_WRONG: 'bad_code_verifier',
  APP_USER_CODE_WRONG: 'reauthentication_not_valid',
  APP_USER_THROTTLED: 'over_request_rate_limit',
  APP_USERS_BUSY: 'over_request_rate_limit',
  APP_USER_MAIL_LIMIT: 'over_email_send_rate_limit',
  APP_USER_TRIGGER_FAILED: 'unexpected_failure',
  APP_USER_MAIL_OFF: 'email_provider_disabled',
  APP_USER_REDIRECT_REFUSED: 'validation_failed',
  CLOUD_BUSY: 'over_request_rate_limit',
  CLOUD_KEY_INVALID: 'no_authorization',
  CLOUD_SERVICE_KEY_EXPOSED: 'not_admin',
  INVALID_JSON: 'bad_json',
  INVALID_REQUEST: 'validation_failed',
  BODY_TOO_LARGE: 'validation_failed',
}

const unofferedCodes: Record<MissingFeature, string> = {
  oauth: 'oauth_provider_not_supported',
  oauth_server: 'provider_disabled',
  sso: 'saml_provider_disabled',
  web3: 'web3_provider_disabled',
  passkeys: 'passkey_disabled',
  mfa: 'mfa_totp_enroll_not_enabled',
  phone: 'phone_provider_disabled',
  soft_delete: 'validation_failed',
  old_address_link: 'validation_failed',
}

const versionHeader = 'x-supabase-api-version'
const version = '2024-01-01'

const codeOf = ({ code, detail }: Failure): string =>
  code === 'APP_USER_NOT_OFFERED'
    ? unofferedCodes[(detail as { what: MissingFeature }).what]
    : (codes[code] ?? (declarationOf(code).status < 500 ? code.toLowerCase() : 'unexpected_failure'))

export const authFailureReply: AppArea['failureReply'] = (failure, { headers, language }): AppReply => {
  const message = declarationOf(failure.code)[language](failure.detail)
  const code = codeOf(failure)
  // Clients that know this version read its errors only where the answer names the version.
  const isNew = String(headers[versionHeader] ?? '') >= version
  const weak = code === 'weak_password' && { weak_password: { reasons: ['length'], message } }
  return {
    status: failure.status,
    headers: isNew ? { [versionHeader]: version } : {},
    body: isNew
      ? { code, message, ...weak }
      : { code: failure.status, error_code: code, msg: message, ...weak },
  }
}
