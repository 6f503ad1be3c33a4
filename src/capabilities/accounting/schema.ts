import { Type } from 'typebox'
import { anyObject, closed, nullable, oneOf, safeInteger, timestamp, uuid } from '#platform/schema'

const integer = () => Type.Integer(safeInteger)

/** Contract section 2, Balance; the fields after `shared_balance` are beyond it. */
export const Balance = Type.Object({
  balance_credits: integer(),
  plan: Type.String(),
  currency: Type.Literal('service_credits'),
  shared_balance: Type.Literal(true),
  reserved_credits: Type.Integer({ ...safeInteger, description: 'Held for calls that are under way; not part of balance_credits.' }),
  balance_microcredits: Type.String({ description: 'The exact figure behind balance_credits; 1 credit = 1,000,000.' }),
  reserved_microcredits: Type.String(),
  budgets: Type.Array(
    Type.Object({
      scope: oneOf('account', 'project', 'key'),
      period: oneOf('total', 'month'),
      cap_credits: integer(),
      spent_credits: integer(),
      reserved_credits: integer(),
    }),
    { description: 'The caps that bind this key.' },
  ),
})

const Tokens = Type.Object({ input: integer(), cached_input: integer(), output: integer(), reasoning: integer() })

/** Contract section 2, Request receipt; the fields after `pending` are beyond it. */
export const Receipt = Type.Object({
  id: uuid(),
  idempotency_key: Type.String({ description: 'Empty when the request had none.' }),
  endpoint: Type.String(),
  state: oneOf('running', 'completed', 'failed'),
  status_code: nullable(Type.Integer()),
  credits: Type.Integer({ ...safeInteger, description: 'Charged, rounded up.' }),
  pending: Type.Boolean({ description: 'True until the charge is settled.' }),
  microcredits: Type.String({ description: 'The exact charge.' }),
  reserved_microcredits: Type.String({ description: 'What was held at the start.' }),
  ambiguous: Type.Boolean({ description: 'The end of the call was never seen (a crash); its hold was charged and the call is never repeated.' }),
  model: nullable(Type.String()),
  customer_id: nullable(Type.String()),
  reference_id: nullable(Type.String()),
  created_at: timestamp(),
  finished_at: nullable(timestamp()),
})

/** A receipt with its explanation. */
export const RequestReport = Type.Object({
  object: Type.Literal('request'),
  ...Receipt.properties,
  details: nullable(anyObject({ description: 'Attempts, tokens by kind, timings; never prompt or answer text.' })),
})

export const LookupQuery = Type.Object({ idempotency_key: Type.String({ pattern: '^[A-Za-z0-9._:-]{1,128}$' }) }, closed)
export const Lookup = Type.Object({ data: Type.Array(Receipt, { maxItems: 1 }) })
export const RequestParams = Type.Object({ id: Type.String() })

const Sums = {
  requests: integer(),
  failures: integer(),
  credits: integer(),
  microcredits: Type.String(),
  tokens: Tokens,
}

export const UsageReport = Type.Object({
  object: Type.Literal('usage'),
  from: Type.String({ description: 'First day, Asia/Tehran.' }),
  to: Type.String(),
  time_zone: Type.Literal('Asia/Tehran'),
  totals: Type.Object(Sums),
  data: Type.Array(
    Type.Object({
      day: Type.String(),
      key_id: uuid(),
      endpoint: Type.String(),
      model: nullable(Type.String()),
      customer_id: nullable(Type.String()),
      reference_id: nullable(Type.String()),
      ...Sums,
    }),
  ),
})
