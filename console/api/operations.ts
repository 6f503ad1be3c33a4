/** Written by `npm run console:api` from the schemas of the routes. */
export interface Operations {
  'DELETE /v1/account/deletion': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "object": "account_deletion"; "account_id": string; "deletion": { "requested_at": string; "due_at": string; "requested_by": { "id": string; "name": string } | null } | null }
  }
  'DELETE /v1/invitations/{id}': {
    params: { "id": string }
    query: undefined
    body: undefined
    reply: { "id": string; "email": string; "role": "owner" | "admin" | "developer" | "billing" | "viewer"; "project_ids": (string)[] | null; "state": "open" | "accepted" | "revoked" | "expired"; "invited_by": { "person_id": string; "display_name": string } | null; "created_at": string; "expires_at": string; "accepted_at": string | null }
  }
  'DELETE /v1/keys/{id}': {
    params: { "id": string }
    query: undefined
    body: undefined
    reply: { "id": string; "project_id": string; "name": string; "hint": string; "state": "active" | "expired" | "revoked"; "scopes": (string)[]; "cap_credits": number | null; "month_cap_credits": number | null; "rate_per_minute": number | null; "concurrency": number | null; "models": (string)[] | null; "origins": (string)[] | null; "expires_at": string | null; "keep_days": number | null; "responses_max_output_tokens": number | null; "spent_credits": number; "month_spent_credits": number; "made_by": { "person_id": string; "display_name": string; "is_member": boolean } | null; "made_by_management_key": { "id": string; "name": string } | null; "last_used_on": string | null; "revoked_at": string | null; "created_at": string }
  }
  'DELETE /v1/management-keys/{id}': {
    params: { "id": string }
    query: { "made_keys"?: "keep" | "revoke" }
    body: undefined
    reply: { "id": string; "name": string; "hint": string; "state": "active" | "expired" | "revoked"; "permissions": (string)[]; "key_scopes": (string)[]; "addresses": (string)[]; "expires_at": string; "made_by": { "person_id": string; "display_name": string }; "last_used_at": string | null; "revoked_at": string | null; "ended_with_maker": boolean; "made_keys": number; "created_at": string }
  }
  'DELETE /v1/me': {
    params: undefined
    query: undefined
    body: { "confirm": string; "delete_accounts"?: (string)[] }
    reply: { "id": string; "deletion": { "requested_at": string; "due_at": string } }
  }
  'DELETE /v1/me/accounts/{account_id}': {
    params: { "account_id": string }
    query: undefined
    body: undefined
    reply: { "account_id": string; "left": true }
  }
  'DELETE /v1/me/factors/{id}': {
    params: { "id": string }
    query: undefined
    body: undefined
    reply: { "id": string; "deleted": true }
  }
  'DELETE /v1/me/identities/{provider}': {
    params: { "provider": string }
    query: undefined
    body: undefined
    reply: { "provider": string; "deleted": true }
  }
  'DELETE /v1/me/phone': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "phone": string | null }
  }
  'DELETE /v1/me/sessions': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "ended": number }
  }
  'DELETE /v1/me/sessions/{id}': {
    params: { "id": string }
    query: undefined
    body: undefined
    reply: { "id": string; "ended": true }
  }
  'DELETE /v1/members/{person_id}': {
    params: { "person_id": string }
    query: undefined
    body: undefined
    reply: { "person_id": string; "removed": true; "keys": number }
  }
  'DELETE /v1/members/{person_id}/factor-reset': {
    params: { "person_id": string }
    query: undefined
    body: undefined
    reply: { "id": string; "deleted": true }
  }
  'GET /v1/account': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "id": string; "name": string; "plan": string; "state": "active" | "suspended" | "closing" | "closed"; "time_zone": string; "balance_credits": number; "reserved_credits": number; "balance_microcredits": string; "reserved_microcredits": string; "cap_credits": number | null; "month_cap_credits": number | null; "rate_per_minute": number | null; "concurrency": number | null; "spent_credits": number | null; "month_spent_credits": number | null; "thresholds_percent": (number)[]; "has_own_thresholds": boolean; "created_at": string }
  }
  'GET /v1/account/deletion': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "object": "account_deletion"; "account_id": string; "deletion": { "requested_at": string; "due_at": string; "requested_by": { "id": string; "name": string } | null } | null }
  }
  'GET /v1/account/usage': {
    params: undefined
    query: { "from"?: string; "to"?: string; "time_zone"?: string; "interval"?: "day" | "week" | "month" | "total"; "calendar"?: "jalali" | "gregorian"; "group_by"?: string; "project_id"?: string; "model"?: string; "endpoint"?: string; "key_id"?: string; "person_id"?: string; "customer_id"?: string; "order"?: "time" | "cost"; "limit"?: number; "after"?: string }
    body: undefined
    reply: { "object": "usage"; "from": string; "to": string; "time_zone": string; "interval": "day" | "week" | "month" | "total"; "calendar": "jalali" | "gregorian"; "totals": { "requests": number; "failures": number; "credits": number; "microcredits": string; "tokens": { "input": number; "cached_input": number; "output": number; "reasoning": number }; "quantities"?: Record<string, number> }; "data": ({ "from": string; "to": string; "project_id"?: string; "model"?: string | null; "endpoint"?: string; "key_id"?: string; "key_name"?: string | null; "person"?: { "id": string; "name": string } | null; "customer_id"?: string | null; "requests": number; "failures": number; "credits": number; "microcredits": string; "tokens": { "input": number; "cached_input": number; "output": number; "reasoning": number }; "quantities"?: Record<string, number> })[]; "has_more": boolean; "next_after": string | null }
  }
  'GET /v1/audit': {
    params: undefined
    query: { "limit"?: number; "after_id"?: string; "actor_kind"?: "person" | "key" | "management_key" | "operator" | "system"; "actor_id"?: string; "target_id"?: string; "operation"?: string; "from"?: string; "to"?: string }
    body: undefined
    reply: { "data": ({ "object": "audit.entry"; "id": string; "at": string; "project_id": string | null; "actor": { "kind": "person" | "key" | "management_key" | "operator" | "system"; "id": string | null; "name": string | null; "deleted": boolean }; "operation": string; "target": { "kind": string; "id": string; "name": string | null } | null; "before": Record<string, unknown> | null; "after": Record<string, unknown> | null; "request_id": string | null; "client": string | null })[]; "has_more": boolean; "last_id": string | null }
  }
  'GET /v1/balance': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "balance_credits": number; "plan": string; "currency": "service_credits"; "shared_balance": true; "reserved_credits": number; "balance_microcredits": string; "reserved_microcredits": string; "budgets": ({ "scope": "account" | "project" | "key"; "period": "total" | "month"; "cap_credits": number; "spent_credits": number | null; "reserved_credits": number | null })[] }
  }
  'GET /v1/invitations': {
    params: undefined
    query: { "limit"?: number; "after_id"?: string; "state"?: "open" | "accepted" | "revoked" | "expired" }
    body: undefined
    reply: { "data": ({ "id": string; "email": string; "role": "owner" | "admin" | "developer" | "billing" | "viewer"; "project_ids": (string)[] | null; "state": "open" | "accepted" | "revoked" | "expired"; "invited_by": { "person_id": string; "display_name": string } | null; "created_at": string; "expires_at": string; "accepted_at": string | null })[]; "has_more": boolean; "last_id": string | null }
  }
  'GET /v1/keys': {
    params: undefined
    query: { "limit"?: number; "after_id"?: string; "project_id"?: string; "made_by"?: string; "state"?: "active" | "ended" }
    body: undefined
    reply: { "data": ({ "id": string; "project_id": string; "name": string; "hint": string; "state": "active" | "expired" | "revoked"; "scopes": (string)[]; "cap_credits": number | null; "month_cap_credits": number | null; "rate_per_minute": number | null; "concurrency": number | null; "models": (string)[] | null; "origins": (string)[] | null; "expires_at": string | null; "keep_days": number | null; "responses_max_output_tokens": number | null; "spent_credits": number; "month_spent_credits": number; "made_by": { "person_id": string; "display_name": string; "is_member": boolean } | null; "made_by_management_key": { "id": string; "name": string } | null; "last_used_on": string | null; "revoked_at": string | null; "created_at": string })[]; "has_more": boolean; "last_id": string | null }
  }
  'GET /v1/keys/{id}': {
    params: { "id": string }
    query: undefined
    body: undefined
    reply: { "id": string; "project_id": string; "name": string; "hint": string; "state": "active" | "expired" | "revoked"; "scopes": (string)[]; "cap_credits": number | null; "month_cap_credits": number | null; "rate_per_minute": number | null; "concurrency": number | null; "models": (string)[] | null; "origins": (string)[] | null; "expires_at": string | null; "keep_days": number | null; "responses_max_output_tokens": number | null; "spent_credits": number; "month_spent_credits": number; "made_by": { "person_id": string; "display_name": string; "is_member": boolean } | null; "made_by_management_key": { "id": string; "name": string } | null; "last_used_on": string | null; "revoked_at": string | null; "created_at": string }
  }
  'GET /v1/management-keys': {
    params: undefined
    query: { "limit"?: number; "after_id"?: string; "state"?: "active" | "ended" }
    body: undefined
    reply: { "data": ({ "id": string; "name": string; "hint": string; "state": "active" | "expired" | "revoked"; "permissions": (string)[]; "key_scopes": (string)[]; "addresses": (string)[]; "expires_at": string; "made_by": { "person_id": string; "display_name": string }; "last_used_at": string | null; "revoked_at": string | null; "ended_with_maker": boolean; "made_keys": number; "created_at": string })[]; "has_more": boolean; "last_id": string | null }
  }
  'GET /v1/management-keys/{id}': {
    params: { "id": string }
    query: undefined
    body: undefined
    reply: { "id": string; "name": string; "hint": string; "state": "active" | "expired" | "revoked"; "permissions": (string)[]; "key_scopes": (string)[]; "addresses": (string)[]; "expires_at": string; "made_by": { "person_id": string; "display_name": string }; "last_used_at": string | null; "revoked_at": string | null; "ended_with_maker": boolean; "made_keys": number; "created_at": string }
  }
  'GET /v1/me': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "id": string; "display_name": string; "email": string | null; "email_proven": boolean; "phone": string | null; "locale": "fa" | "en"; "time_zone": string; "is_operator": boolean; "has_password": boolean; "created_at": string; "deletion": { "requested_at": string; "due_at": string } | null; "session": { "id": string; "stepped_up_until": string | null } }
  }
  'GET /v1/me/accounts': {
    params: undefined
    query: { "limit"?: number; "after_id"?: string }
    body: undefined
    reply: { "data": ({ "id": string; "name": string; "state": "active" | "suspended" | "closing" | "closed"; "role": "owner" | "admin" | "developer" | "billing" | "viewer"; "rights": (string)[]; "projects": ({ "id": string; "name": string })[]; "is_limited": boolean })[]; "has_more": boolean; "last_id": string | null }
  }
  'GET /v1/me/deletion': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "object": "my_deletion"; "deletion": { "requested_at": string; "due_at": string } | null; "accounts": ({ "id": string; "name": string; "state": "active" | "suspended" | "closing" | "closed"; "is_last_owner": boolean; "other_members": number; "balance_microcredits": string })[] }
  }
  'GET /v1/me/exports': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "data": ({ "id": string; "object": "export"; "state": "queued" | "running" | "ready" | "failed" | "expired"; "bytes": number | null; "sha256": string | null; "created_at": string; "finished_at": string | null; "expires_at": string | null })[] }
  }
  'GET /v1/me/factors': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "data": ({ "id": string; "kind": "totp" | "passkey"; "name": string; "backed_up": boolean | null; "created_at": string; "last_used_at": string | null })[]; "recovery_codes_left": number; "reset": { "requested_at": string; "due_at": string } | null; "passkeys": { "available": boolean; "why": string | null } }
  }
  'GET /v1/me/identities': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "data": ({ "provider": string; "name": string; "available": boolean; "email": string | null; "linked_at": string; "last_used_at": string })[] }
  }
  'GET /v1/me/sessions': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "data": ({ "id": string; "device": string | null; "method": "password" | "code" | "sms" | "passkey" | "openid" | "link"; "opened_from": string | null; "is_current": boolean; "created_at": string; "last_used_at": string; "expires_at": string })[] }
  }
  'GET /v1/members': {
    params: undefined
    query: { "limit"?: number; "after_id"?: string; "q"?: string }
    body: undefined
    reply: { "data": ({ "person_id": string; "display_name": string; "email": string | null; "role": "owner" | "admin" | "developer" | "billing" | "viewer"; "project_ids": (string)[] | null; "provider_id": string | null; "has_second_factor": boolean | null; "factor_reset_due_at": string | null; "spending": ({ "project_id": string; "month_cap_credits": number | null; "month_spent_credits": number })[]; "is_you": boolean; "joined_at": string })[]; "has_more": boolean; "last_id": string | null }
  }
  'GET /v1/members/{person_id}': {
    params: { "person_id": string }
    query: undefined
    body: undefined
    reply: { "person_id": string; "display_name": string; "email": string | null; "role": "owner" | "admin" | "developer" | "billing" | "viewer"; "project_ids": (string)[] | null; "provider_id": string | null; "has_second_factor": boolean | null; "factor_reset_due_at": string | null; "spending": ({ "project_id": string; "month_cap_credits": number | null; "month_spent_credits": number })[]; "is_you": boolean; "joined_at": string }
  }
  'GET /v1/models': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "object": "list"; "data": ({ "id": string; "aliases": (string)[]; "object": "model"; "type": "model"; "created": number; "created_at": string; "owned_by": string; "display_name": string; "description": string; "kind": "text" | "image" | "audio" | "video" | "embedding" | "transcription" | "realtime"; "sandbox": boolean; "shutdown_date": string | null; "default": boolean; "presets": ("fast" | "balanced" | "quality")[]; "input_modalities": ("text" | "image" | "audio" | "video" | "file")[]; "output_modalities": (string)[]; "context_length": number | null; "max_output_tokens": number | null; "features": (string)[]; "reasoning": { "supported_efforts": (string)[] }; "media_input": { "input_per_million": number } | null; "pricing": { "currency": "USD"; "input_per_million": number; "output_per_million": number; "cached_input_per_million": number; "cache_write_per_million": number; "credits_per_usd": number } | { "currency": "USD"; "unit": "image" | "tokens"; "per_image"?: number; "rows"?: ({ "quality"?: string; "size"?: string; "per_image": number })[]; "per_reference"?: number; "per_partial"?: number; "input_per_million"?: number; "media_input_per_million"?: number; "output_per_million"?: number; "output_tokens"?: ({ "quality"?: string; "size"?: string; "tokens": number })[]; "reference_tokens"?: number; "partial_tokens"?: number; "margin"?: number; "credits_per_usd": number } | { "currency": "USD"; "per_million_characters": number; "per_minute": number; "input_per_million": number; "output_per_million": number; "credits_per_usd": number } | { "currency": "USD"; "rows": ({ "resolution"?: string; "audio"?: boolean; "per_second"?: number; "per_video"?: number })[]; "billed": string; "credits_per_usd": number } | { "currency": "USD"; "per_minute": number; "minimum_seconds": number; "input_per_million": number; "output_per_million": number; "credits_per_usd": number } | { "currency": "USD"; "input_per_million": number; "credits_per_usd": number } | { "currency": "USD"; "per_minute": number; "text_input_per_million"?: number; "audio_input_per_million"?: number; "image_input_per_million"?: number; "cached_text_input_per_million"?: number; "cached_audio_input_per_million"?: number; "text_output_per_million"?: number; "audio_output_per_million"?: number; "transcription_per_minute"?: number; "credits_per_usd": number }; "studio_settings": { "aspect_ratios": (string)[]; "sizes": (string)[]; "qualities": (string)[]; "formats": (string)[]; "backgrounds": (string)[]; "reference_capacity": number; "max_count": number; "masks": boolean; "seed": boolean; "partial_images": number } | { "does": (string)[]; "voices": ({ "id": string; "name": string; "gender"?: string; "languages": (string)[] })[]; "other_voices": boolean; "formats": (string)[]; "speech_formats": (string)[]; "instructions": boolean; "speed": null | (number)[]; "max_characters": number; "max_turns": number; "voices_per_dialogue": number } | { "combinations": ({ "resolution": string; "durations": (number)[]; "aspect_ratios": (string)[]; "audio": string })[]; "default": { "resolution": string; "duration": number; "aspect_ratio": string; "audio": boolean }; "reference_modes": { "guide"?: number; "frames"?: (string)[] }; "seed": boolean } | { "timestamps": string; "diarize": boolean; "translate": boolean; "stream": boolean; "prompt": boolean; "keywords": boolean; "vad": boolean; "languages": null | (string)[] } | { "engine": string; "text_model"?: string; "transcription_model"?: string; "speech_model"?: string; "voices"?: (string)[] } | null; "routes": (string)[] })[]; "has_more": boolean; "first_id": string | null; "last_id": string | null }
  }
  'GET /v1/operator/mails': {
    params: undefined
    query: { "limit"?: number; "after_id"?: string; "state"?: "queued" | "sent" | "refused" | "expired" | "unsent" }
    body: undefined
    reply: { "data": ({ "id": string; "address": string; "kind": string; "locale": "fa" | "en"; "state": "queued" | "sent" | "refused" | "expired" | "unsent"; "subject": string | null; "text": string | null; "can_reveal": boolean; "created_at": string; "ended_at": string | null })[]; "has_more": boolean; "last_id": string | null }
  }
  'GET /v1/projects': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "data": ({ "id": string; "name": string; "cap_credits": number | null; "month_cap_credits": number | null; "rate_per_minute": number | null; "concurrency": number | null; "keep_days": number | null; "spent_credits": number; "month_spent_credits": number; "created_at": string })[] }
  }
  'GET /v1/requests': {
    params: undefined
    query: { "project_id"?: string; "from"?: string; "to"?: string; "time_zone"?: string; "model"?: string; "key_id"?: string; "person_id"?: string; "customer_id"?: string; "reference_id"?: string; "endpoint"?: string; "state"?: "running" | "completed" | "failed"; "status_code"?: number; "min_microcredits"?: string; "max_microcredits"?: string; "idempotency_key"?: string; "limit"?: number; "after"?: string; "since"?: string }
    body: undefined
    reply: { "object": "list"; "data": ({ "id": string; "idempotency_key": string; "endpoint": string; "state": "running" | "completed" | "failed"; "status_code": number | null; "credits": number; "pending": boolean; "microcredits": string; "reserved_microcredits": string; "ambiguous": boolean; "model": string | null; "customer_id": string | null; "reference_id": string | null; "person"?: { "id": string; "name": string }; "created_at": string; "finished_at": string | null; "project_id": string; "key_id": string; "key_name": string | null; "management_key": boolean; "tokens": { "input": number; "cached_input": number; "output": number; "reasoning": number } | null; "quantities": Record<string, unknown> | null; "attempts": number | null; "failed_attempts": number | null; "steps": number | null })[]; "has_more": boolean; "next_after": string | null; "next_since": string }
  }
  'GET /v1/requests/{id}': {
    params: { "id": string }
    query: undefined
    body: undefined
    reply: { "object": "request"; "id": string; "idempotency_key": string; "endpoint": string; "state": "running" | "completed" | "failed"; "status_code": number | null; "credits": number; "pending": boolean; "microcredits": string; "reserved_microcredits": string; "ambiguous": boolean; "model": string | null; "customer_id": string | null; "reference_id": string | null; "person"?: { "id": string; "name": string }; "created_at": string; "finished_at": string | null; "project_id": string; "key_id": string; "key_name": string | null; "management_key": boolean; "charge": { "lines": ({ "unit": "input_tokens" | "cached_input_tokens" | "cache_write_tokens" | "cache_write_hour_tokens" | "media_input_tokens" | "output_tokens" | "text_input_tokens" | "audio_input_tokens" | "image_input_tokens" | "cached_text_input_tokens" | "cached_audio_input_tokens" | "text_output_tokens" | "audio_output_tokens" | "characters" | "seconds" | "milliseconds" | "video_seconds" | "videos" | "pictures" | "references" | "partials" | "searches" | "fetches" | "uses" | "reported_costs" | "limits" | "steps"; "quantity": number; "price_microcredits": string; "per": number; "microcredits": string; "model"?: string; "step"?: string })[]; "rounding_microcredits": string; "sum_microcredits": string; "charged_microcredits": string; "adjustment": { "kind": "free" | "within_hold" | "raised" | "ambiguous" | "lost"; "microcredits": string } | null } | null; "details": Record<string, unknown> | null }
  }
  'GET /v1/sign-in/methods': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "password": boolean; "code": boolean; "passkey": { "available": boolean; "why"?: { "en": string; "fa": string } }; "openid": ({ "id": string; "name": string })[]; "sign_up": "closed" | "invitation" | "open"; "mail": boolean; "sms": boolean }
  }
  'PATCH /v1/account': {
    params: undefined
    query: undefined
    body: { "name"?: string; "time_zone"?: string }
    reply: { "id": string; "name": string; "plan": string; "state": "active" | "suspended" | "closing" | "closed"; "time_zone": string; "balance_credits": number; "reserved_credits": number; "balance_microcredits": string; "reserved_microcredits": string; "cap_credits": number | null; "month_cap_credits": number | null; "rate_per_minute": number | null; "concurrency": number | null; "spent_credits": number | null; "month_spent_credits": number | null; "thresholds_percent": (number)[]; "has_own_thresholds": boolean; "created_at": string }
  }
  'PATCH /v1/account/caps': {
    params: undefined
    query: undefined
    body: { "cap_credits"?: number | null; "month_cap_credits"?: number | null; "thresholds_percent"?: (number)[] | null }
    reply: { "id": string; "name": string; "plan": string; "state": "active" | "suspended" | "closing" | "closed"; "time_zone": string; "balance_credits": number; "reserved_credits": number; "balance_microcredits": string; "reserved_microcredits": string; "cap_credits": number | null; "month_cap_credits": number | null; "rate_per_minute": number | null; "concurrency": number | null; "spent_credits": number | null; "month_spent_credits": number | null; "thresholds_percent": (number)[]; "has_own_thresholds": boolean; "created_at": string }
  }
  'PATCH /v1/keys/{id}': {
    params: { "id": string }
    query: undefined
    body: { "name"?: string; "scopes"?: (string)[]; "cap_credits"?: number | null; "month_cap_credits"?: number | null; "rate_per_minute"?: number | null; "concurrency"?: number | null; "models"?: (string)[] | null; "origins"?: (string)[] | null; "expires_at"?: string | null; "keep_days"?: number | null; "responses_max_output_tokens"?: number | null }
    reply: { "id": string; "project_id": string; "name": string; "hint": string; "state": "active" | "expired" | "revoked"; "scopes": (string)[]; "cap_credits": number | null; "month_cap_credits": number | null; "rate_per_minute": number | null; "concurrency": number | null; "models": (string)[] | null; "origins": (string)[] | null; "expires_at": string | null; "keep_days": number | null; "responses_max_output_tokens": number | null; "spent_credits": number; "month_spent_credits": number; "made_by": { "person_id": string; "display_name": string; "is_member": boolean } | null; "made_by_management_key": { "id": string; "name": string } | null; "last_used_on": string | null; "revoked_at": string | null; "created_at": string }
  }
  'PATCH /v1/management-keys/{id}': {
    params: { "id": string }
    query: undefined
    body: { "name": string }
    reply: { "id": string; "name": string; "hint": string; "state": "active" | "expired" | "revoked"; "permissions": (string)[]; "key_scopes": (string)[]; "addresses": (string)[]; "expires_at": string; "made_by": { "person_id": string; "display_name": string }; "last_used_at": string | null; "revoked_at": string | null; "ended_with_maker": boolean; "made_keys": number; "created_at": string }
  }
  'PATCH /v1/me': {
    params: undefined
    query: undefined
    body: { "display_name"?: string; "locale"?: "fa" | "en"; "time_zone"?: string }
    reply: { "id": string; "display_name": string; "email": string | null; "email_proven": boolean; "phone": string | null; "locale": "fa" | "en"; "time_zone": string; "is_operator": boolean; "has_password": boolean; "created_at": string; "deletion": { "requested_at": string; "due_at": string } | null; "session": { "id": string; "stepped_up_until": string | null } }
  }
  'PATCH /v1/me/factors/{id}': {
    params: { "id": string }
    query: undefined
    body: { "name": string }
    reply: { "id": string; "kind": "totp" | "passkey"; "name": string; "backed_up": boolean | null; "created_at": string; "last_used_at": string | null }
  }
  'PATCH /v1/members/{person_id}': {
    params: { "person_id": string }
    query: undefined
    body: { "role"?: "owner" | "admin" | "developer" | "billing" | "viewer"; "project_ids"?: (string)[] | null; "month_caps"?: ({ "project_id": string; "month_cap_credits": number | null })[] }
    reply: { "person_id": string; "display_name": string; "email": string | null; "role": "owner" | "admin" | "developer" | "billing" | "viewer"; "project_ids": (string)[] | null; "provider_id": string | null; "has_second_factor": boolean | null; "factor_reset_due_at": string | null; "spending": ({ "project_id": string; "month_cap_credits": number | null; "month_spent_credits": number })[]; "is_you": boolean; "joined_at": string }
  }
  'PATCH /v1/projects/{id}': {
    params: { "id": string }
    query: undefined
    body: { "name"?: string; "cap_credits"?: number | null; "month_cap_credits"?: number | null; "rate_per_minute"?: number | null; "concurrency"?: number | null; "keep_days"?: number | null }
    reply: { "id": string; "name": string; "cap_credits": number | null; "month_cap_credits": number | null; "rate_per_minute": number | null; "concurrency": number | null; "keep_days": number | null; "spent_credits": number; "month_spent_credits": number; "created_at": string }
  }
  'POST /v1/account/deletion': {
    params: undefined
    query: undefined
    body: { "confirm": string }
    reply: { "object": "account_deletion"; "account_id": string; "deletion": { "requested_at": string; "due_at": string; "requested_by": { "id": string; "name": string } | null } | null }
  }
  'POST /v1/invitations': {
    params: undefined
    query: undefined
    body: { "email": string; "role": "owner" | "admin" | "developer" | "billing" | "viewer"; "project_ids"?: (string)[] | null; "locale"?: "fa" | "en" }
    reply: { "id": string; "email": string; "role": "owner" | "admin" | "developer" | "billing" | "viewer"; "project_ids": (string)[] | null; "state": "open" | "accepted" | "revoked" | "expired"; "invited_by": { "person_id": string; "display_name": string } | null; "created_at": string; "expires_at": string; "accepted_at": string | null; "delivery": "mail" | "operator" }
  }
  'POST /v1/invitations/{id}/resend': {
    params: { "id": string }
    query: undefined
    body: { "locale"?: "fa" | "en" } | undefined
    reply: { "id": string; "email": string; "role": "owner" | "admin" | "developer" | "billing" | "viewer"; "project_ids": (string)[] | null; "state": "open" | "accepted" | "revoked" | "expired"; "invited_by": { "person_id": string; "display_name": string } | null; "created_at": string; "expires_at": string; "accepted_at": string | null; "delivery": "mail" | "operator" }
  }
  'POST /v1/keys': {
    params: undefined
    query: undefined
    body: { "name": string; "scopes": (string)[]; "cap_credits"?: number | null; "month_cap_credits"?: number | null; "rate_per_minute"?: number | null; "concurrency"?: number | null; "models"?: (string)[] | null; "origins"?: (string)[] | null; "expires_at"?: string | null; "keep_days"?: number | null; "responses_max_output_tokens"?: number | null }
    reply: { "id": string; "project_id": string; "name": string; "hint": string; "state": "active" | "expired" | "revoked"; "scopes": (string)[]; "cap_credits": number | null; "month_cap_credits": number | null; "rate_per_minute": number | null; "concurrency": number | null; "models": (string)[] | null; "origins": (string)[] | null; "expires_at": string | null; "keep_days": number | null; "responses_max_output_tokens": number | null; "spent_credits": number; "month_spent_credits": number; "made_by": { "person_id": string; "display_name": string; "is_member": boolean } | null; "made_by_management_key": { "id": string; "name": string } | null; "last_used_on": string | null; "revoked_at": string | null; "created_at": string; "secret": string }
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
  'POST /v1/management-keys': {
    params: undefined
    query: undefined
    body: { "name": string; "permissions": ("account:read" | "account:write" | "projects:read" | "projects:write" | "keys:read" | "keys:write" | "usage:read" | "models:read" | "audit:read" | "webhooks:read" | "webhooks:write")[]; "key_scopes"?: (string)[]; "addresses"?: (string)[]; "expires_at": string }
    reply: { "id": string; "name": string; "hint": string; "state": "active" | "expired" | "revoked"; "permissions": (string)[]; "key_scopes": (string)[]; "addresses": (string)[]; "expires_at": string; "made_by": { "person_id": string; "display_name": string }; "last_used_at": string | null; "revoked_at": string | null; "ended_with_maker": boolean; "made_keys": number; "created_at": string; "secret": string }
  }
  'POST /v1/me/deletion/undo': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "id": string; "deletion": null; "kept_accounts": (string)[] }
  }
  'POST /v1/me/email': {
    params: undefined
    query: undefined
    body: { "email": string }
    reply: { "status": "accepted"; "minutes": number }
  }
  'POST /v1/me/email/confirm': {
    params: undefined
    query: undefined
    body: { "email": string; "code": string }
    reply: { "id": string; "display_name": string; "email": string | null; "locale": "fa" | "en"; "time_zone": string; "is_operator": boolean; "has_password": boolean; "created_at": string }
  }
  'POST /v1/me/exports': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "id": string; "object": "export"; "state": "queued" | "running" | "ready" | "failed" | "expired"; "bytes": number | null; "sha256": string | null; "created_at": string; "finished_at": string | null; "expires_at": string | null }
  }
  'POST /v1/me/factors/totp': {
    params: undefined
    query: undefined
    body: { "name"?: string } | undefined
    reply: { "id": string; "secret": string; "uri": string; "qr": { "size": number; "path": string } }
  }
  'POST /v1/me/factors/{id}/confirm': {
    params: { "id": string }
    query: undefined
    body: { "code": string }
    reply: { "factor": { "id": string; "kind": "totp" | "passkey"; "name": string; "backed_up": boolean | null; "created_at": string; "last_used_at": string | null }; "recovery_codes": (string)[] | null }
  }
  'POST /v1/me/identities/{provider}': {
    params: { "provider": string }
    query: undefined
    body: { "return_to"?: string }
    reply: { "url": string }
  }
  'POST /v1/me/passkeys': {
    params: undefined
    query: undefined
    body: { "name"?: string; "response": { "id": string; "rawId": string; "type": "public-key"; "authenticatorAttachment"?: "platform" | "cross-platform" | null; "clientExtensionResults"?: Record<string, unknown>; "response": { "clientDataJSON": string; "attestationObject": string; "transports"?: (string)[] } } }
    reply: { "factor": { "id": string; "kind": "totp" | "passkey"; "name": string; "backed_up": boolean | null; "created_at": string; "last_used_at": string | null }; "recovery_codes": (string)[] | null }
  }
  'POST /v1/me/passkeys/options': {
    params: undefined
    query: undefined
    body: Record<string, never> | undefined
    reply: { "challenge": string; "rp": { "id": string; "name": string }; "user": { "id": string; "name": string; "displayName": string }; "pubKeyCredParams": ({ "type": "public-key"; "alg": number })[]; "timeout": number; "attestation": "none"; "excludeCredentials": ({ "type": "public-key"; "id": string; "transports": (string)[] })[]; "authenticatorSelection": { "residentKey": "required"; "requireResidentKey": true; "userVerification": "required" } }
  }
  'POST /v1/me/phone': {
    params: undefined
    query: undefined
    body: { "phone": string }
    reply: { "status": "accepted"; "minutes": number }
  }
  'POST /v1/me/phone/confirm': {
    params: undefined
    query: undefined
    body: { "phone": string; "code": string }
    reply: { "phone": string | null }
  }
  'POST /v1/me/recovery-codes': {
    params: undefined
    query: undefined
    body: Record<string, never> | undefined
    reply: { "recovery_codes": (string)[] }
  }
  'POST /v1/members/{person_id}/factor-reset': {
    params: { "person_id": string }
    query: undefined
    body: Record<string, never> | undefined
    reply: { "requested_at": string; "due_at": string }
  }
  'POST /v1/operator/mails/{id}/reveal': {
    params: { "id": string }
    query: undefined
    body: undefined
    reply: { "id": string; "address": string; "link": string }
  }
  'POST /v1/projects': {
    params: undefined
    query: undefined
    body: { "name": string; "cap_credits"?: number | null; "month_cap_credits"?: number | null; "rate_per_minute"?: number | null; "concurrency"?: number | null; "keep_days"?: number | null }
    reply: { "id": string; "name": string; "cap_credits": number | null; "month_cap_credits": number | null; "rate_per_minute": number | null; "concurrency": number | null; "keep_days": number | null; "spent_credits": number; "month_spent_credits": number; "created_at": string }
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
  'POST /v1/sign-in/phone': {
    params: undefined
    query: undefined
    body: { "phone": string }
    reply: { "status": "accepted"; "minutes": number }
  }
  'POST /v1/sign-in/phone/confirm': {
    params: undefined
    query: undefined
    body: { "phone": string; "code": string }
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
  'POST /v1/step-up/code': {
    params: undefined
    query: undefined
    body: undefined
    reply: { "status": "accepted"; "minutes": number }
  }
  'POST /v1/step-up/code/confirm': {
    params: undefined
    query: undefined
    body: { "code": string }
    reply: { "stepped_up_at": string }
  }
  'POST /v1/step-up/openid/{provider}': {
    params: { "provider": string }
    query: undefined
    body: { "return_to"?: string }
    reply: { "url": string }
  }
  'POST /v1/step-up/passkey': {
    params: undefined
    query: undefined
    body: { "response": { "id": string; "rawId": string; "type": "public-key"; "authenticatorAttachment"?: "platform" | "cross-platform" | null; "clientExtensionResults"?: Record<string, unknown>; "response": { "clientDataJSON": string; "authenticatorData": string; "signature": string; "userHandle"?: string | null } } }
    reply: { "stepped_up_at": string }
  }
  'POST /v1/step-up/passkey/options': {
    params: undefined
    query: undefined
    body: Record<string, never> | undefined
    reply: { "challenge": string; "rpId": string; "timeout": number; "userVerification": "required"; "allowCredentials": ({ "type": "public-key"; "id": string; "transports": (string)[] })[] }
  }
  'POST /v1/step-up/password': {
    params: undefined
    query: undefined
    body: { "password": string }
    reply: { "stepped_up_at": string }
  }
  'POST /v1/step-up/totp': {
    params: undefined
    query: undefined
    body: { "code"?: string; "recovery_code"?: string }
    reply: { "stepped_up_at": string }
  }
  'PUT /v1/me/password': {
    params: undefined
    query: undefined
    body: { "password": string }
    reply: { "id": string; "display_name": string; "email": string | null; "locale": "fa" | "en"; "time_zone": string; "is_operator": boolean; "has_password": boolean; "created_at": string }
  }
}
