/** Written by `npm run console:api` from the schemas of the routes. */
export interface Operations {
  'GET /v1/balance': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "balance_credits": number; "plan": string; "currency": "service_credits"; "shared_balance": true; "reserved_credits": number; "balance_microcredits": string; "reserved_microcredits": string; "budgets": ({ "scope": "account" | "project" | "key"; "period": "total" | "month"; "cap_credits": number; "spent_credits": number; "reserved_credits": number })[] }
  }
  'GET /v1/me': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "id": string; "display_name": string; "email": string | null; "email_proven": boolean; "locale": "fa" | "en"; "time_zone": string; "is_operator": boolean; "has_password": boolean; "created_at": string; "session": { "id": string; "stepped_up_until": string | null } }
  }
  'GET /v1/me/accounts': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "data": ({ "id": string; "name": string; "state": "active" | "suspended"; "role": "owner" | "admin" | "developer" | "billing" | "viewer"; "rights": (string)[]; "projects": ({ "id": string; "name": string })[]; "is_limited": boolean })[] }
  }
  'GET /v1/sign-in/methods': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "password": boolean; "code": boolean; "passkey": { "available": boolean; "why"?: { "en": string; "fa": string } }; "openid": ({ "id": string; "name": string })[]; "sign_up": "closed" | "invitation" | "open"; "mail": boolean }
  }
  'GET /v1/usage': {
    params: undefined
    query: { "group_by"?: "reference"; "limit"?: number; "after"?: string }
    body: undefined
    reply: { "object": "usage"; "from": string; "to": string; "time_zone": "Asia/Tehran"; "totals": { "requests": number; "failures": number; "credits": number; "microcredits": string; "tokens": { "input": number; "cached_input": number; "output": number; "reasoning": number } }; "data": ({ "day": string; "key_id": string; "endpoint": string; "model": string | null; "customer_id": string | null; "reference_id"?: string | null; "person"?: { "id": string; "name": string }; "requests": number; "failures": number; "credits": number; "microcredits": string; "tokens": { "input": number; "cached_input": number; "output": number; "reasoning": number } })[]; "has_more": boolean; "next_after": string | null }
  }
  'POST /v1/links/read': {
    params: undefined
    query: undefined
    body: { "token": string }
    reply: { "purpose": "first_operator" | "operator" | "operator_reset" | "invitation" | "password_reset" | "email_undo" | "factor_reset_cancel"; "needs": "new_person" | "named_person" | "session" | "password" | "nothing"; "email_masked": string | null; "expires_at": string; "invitation"?: { "account_name": string; "inviter_name": string | null; "role": string } }
  }
  'POST /v1/links/redeem': {
    params: undefined
    query: undefined
    body: { "token": string; "password"?: string; "person"?: { "display_name": string; "locale": "fa" | "en"; "time_zone"?: string; "email"?: string } }
    reply: { "status": "signed_in"; "person": { "id": string; "display_name": string; "email": string | null; "locale": "fa" | "en"; "time_zone": string; "is_operator": boolean; "has_password": boolean; "created_at": string } } | { "status": "second_factor"; "factors": ("totp" | "passkey" | "recovery_code")[] } | { "status": "done"; "purpose": "first_operator" | "operator" | "operator_reset" | "invitation" | "password_reset" | "email_undo" | "factor_reset_cancel" }
  }
  'POST /v1/recovery': {
    params: undefined
    query: undefined
    body: { "email": string }
    reply: { "status": "accepted"; "minutes": number }
  }
  'POST /v1/recovery/confirm': {
    params: undefined
    query: undefined
    body: { "token": string; "password": string }
    reply: { "status": "signed_in"; "person": { "id": string; "display_name": string; "email": string | null; "locale": "fa" | "en"; "time_zone": string; "is_operator": boolean; "has_password": boolean; "created_at": string } } | { "status": "second_factor"; "factors": ("totp" | "passkey" | "recovery_code")[] }
  }
  'POST /v1/sign-in/code': {
    params: undefined
    query: undefined
    body: { "email": string }
    reply: { "status": "accepted"; "minutes": number }
  }
  'POST /v1/sign-in/code/confirm': {
    params: undefined
    query: undefined
    body: { "email": string; "code": string }
    reply: { "status": "signed_in"; "person": { "id": string; "display_name": string; "email": string | null; "locale": "fa" | "en"; "time_zone": string; "is_operator": boolean; "has_password": boolean; "created_at": string } } | { "status": "second_factor"; "factors": ("totp" | "passkey" | "recovery_code")[] }
  }
  'POST /v1/sign-in/openid/finish': {
    params: undefined
    query: undefined
    body: { "url": string }
    reply: { "status": "signed_in"; "person": { "id": string; "display_name": string; "email": string | null; "locale": "fa" | "en"; "time_zone": string; "is_operator": boolean; "has_password": boolean; "created_at": string }; "return_to"?: string } | { "status": "second_factor"; "factors": ("totp" | "passkey" | "recovery_code")[]; "return_to"?: string } | { "status": "linked"; "provider": string; "return_to"?: string } | { "status": "stepped_up"; "return_to"?: string }
  }
  'POST /v1/sign-in/openid/{provider}': {
    params: { "provider": string }
    query: undefined
    body: { "return_to"?: string; "invitation"?: string }
    reply: { "url": string }
  }
  'POST /v1/sign-in/passkey': {
    params: undefined
    query: undefined
    body: { "response": { "id": string; "rawId": string; "type": "public-key"; "authenticatorAttachment"?: "platform" | "cross-platform" | null; "clientExtensionResults"?: Record<string, unknown>; "response": { "clientDataJSON": string; "authenticatorData": string; "signature": string; "userHandle"?: string | null } } }
    reply: { "status": "signed_in"; "person": { "id": string; "display_name": string; "email": string | null; "locale": "fa" | "en"; "time_zone": string; "is_operator": boolean; "has_password": boolean; "created_at": string } } | { "status": "second_factor"; "factors": ("totp" | "passkey" | "recovery_code")[] }
  }
  'POST /v1/sign-in/passkey/options': {
    params: undefined
    query: undefined
    body: Record<string, never> | undefined
    reply: { "challenge": string; "rpId": string; "timeout": number; "userVerification": "required"; "allowCredentials": ({ "type": "public-key"; "id": string; "transports": (string)[] })[] }
  }
  'POST /v1/sign-in/password': {
    params: undefined
    query: undefined
    body: { "email": string; "password": string }
    reply: { "status": "signed_in"; "person": { "id": string; "display_name": string; "email": string | null; "locale": "fa" | "en"; "time_zone": string; "is_operator": boolean; "has_password": boolean; "created_at": string } } | { "status": "second_factor"; "factors": ("totp" | "passkey" | "recovery_code")[] }
  }
  'POST /v1/sign-in/second-factor': {
    params: undefined
    query: undefined
    body: { "code"?: string; "recovery_code"?: string }
    reply: { "status": "signed_in"; "person": { "id": string; "display_name": string; "email": string | null; "locale": "fa" | "en"; "time_zone": string; "is_operator": boolean; "has_password": boolean; "created_at": string } } | { "status": "second_factor"; "factors": ("totp" | "passkey" | "recovery_code")[] }
  }
  'POST /v1/sign-out': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "status": "signed_out" }
  }
  'POST /v1/sign-up': {
    params: undefined
    query: undefined
    body: { "email": string; "password"?: string; "display_name": string; "locale": "fa" | "en"; "invitation"?: string }
    reply: { "status": "accepted"; "minutes": number }
  }
  'POST /v1/sign-up/confirm': {
    params: undefined
    query: undefined
    body: { "email": string; "code": string }
    reply: { "status": "signed_in"; "person": { "id": string; "display_name": string; "email": string | null; "locale": "fa" | "en"; "time_zone": string; "is_operator": boolean; "has_password": boolean; "created_at": string } } | { "status": "second_factor"; "factors": ("totp" | "passkey" | "recovery_code")[] }
  }
}
