import { type Static, Type } from 'typebox'
import { bareList, idCursor, pageQuery, plainList } from '#platform/lists'
import { closed, nameSchemas, nullable, oneOf, timestamp, uuid } from '#platform/schema'
import { eventTypes } from './event-types.ts'

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'Where events are sent: https, on the public internet.',
  'x-description-fa': 'نشانی دریافت رویدادها: https و در اینترنت عمومی.',
})

const Events = Type.Array(oneOf(...eventTypes), {
  minItems: 1,
  maxItems: eventTypes.length,
  uniqueItems: true,
  description: 'The events that are sent, each once.',
  'x-description-fa': 'رویدادهایی که فرستاده می‌شوند، هر یک یک بار.',
})

const Enabled = Type.Boolean({
  description: 'While it is false nothing is sent.',
  'x-description-fa': 'تا false است چیزی فرستاده نمی‌شود.',
})

export const ConnectionBody = Type.Object(
  { url: Url, events: Events, enabled: Type.Optional(Enabled) },
  {
    ...closed,
    examples: [{ url: 'https://example.com/kherad-events', events: ['batch.completed', 'budget.threshold'] }],
  },
)
export type ConnectionBody = Static<typeof ConnectionBody>

export const ConnectionPatch = Type.Object(
  { url: Type.Optional(Url), events: Type.Optional(Events), enabled: Type.Optional(Enabled) },
  { ...closed, examples: [{ enabled: false }] },
)
export type ConnectionPatch = Static<typeof ConnectionPatch>

export const IdParams = Type.Object({ id: uuid() })

export const WebhookConnection = Type.Object({
  id: uuid(),
  url: Type.String(),
  events: Type.Array(oneOf(...eventTypes)),
  enabled: Type.Boolean(),
  disabled_reason: nullable(oneOf('gone')),
  paused_until: nullable(
    Type.String({
      description: 'Its target failed again and again and is left alone until then.',
      'x-description-fa': 'مقصد پی‌درپی شکست خورده است و تا این زمان چیزی به آن فرستاده نمی‌شود.',
    }),
  ),
  created_at: timestamp(),
  updated_at: timestamp(),
})
export type WebhookConnection = Static<typeof WebhookConnection>

export const ConnectionWithSecret = Type.Object({
  ...WebhookConnection.properties,
  secret: Type.String({
    pattern: '^whsec_[A-Za-z0-9+/]+=*$',
    description: 'Signs what is sent; shown only this once.',
    'x-description-fa': 'امضاکنندهٔ آنچه فرستاده می‌شود؛ فقط همین یک بار نشان داده می‌شود.',
  }),
  previous_secret_until: Type.Optional(
    Type.String({
      description: 'Until then the secret before this one signs too.',
      'x-description-fa': 'تا این زمان راز پیشین هم امضا می‌کند.',
    }),
  ),
})
export type ConnectionWithSecret = Static<typeof ConnectionWithSecret>

export const ConnectionList = bareList.schema(WebhookConnection)

export const DeletedConnection = Type.Object({ id: uuid(), deleted: Type.Literal(true) })

export const deliveryStates = ['pending', 'delivered', 'failed', 'cancelled'] as const

/** The event that tests a connection. */
export const ping = 'ping'

export const DeliveryQuery = pageQuery(
  {
    max: 100,
    after: idCursor(
      'Deliveries made before this one; the next page begins after the last of this.',
      'تحویل‌های پیش از این یکی؛ صفحهٔ بعد پس از آخرین مورد این صفحه آغاز می‌شود.',
    ),
  },
  {
    webhook_id: Type.Optional(uuid()),
    event_id: Type.Optional(uuid()),
    status: Type.Optional(oneOf(...deliveryStates)),
    event: Type.Optional(oneOf(...eventTypes, ping)),
  },
)
export type DeliveryQuery = Static<typeof DeliveryQuery>

export const Delivery = Type.Object({
  id: uuid(),
  webhook_id: uuid(),
  event_id: uuid(),
  event: oneOf(...eventTypes, ping),
  status: oneOf(...deliveryStates),
  attempts: Type.Integer({ minimum: 0 }),
  http_status: nullable(Type.Integer()),
  error: nullable(
    Type.String({
      description: 'Why the last attempt was no success, as a word.',
      'x-description-fa': 'چرا آخرین تلاش موفق نبود، در یک واژه.',
    }),
  ),
  duration_ms: nullable(Type.Integer({ minimum: 0 })),
  created_at: timestamp(),
  last_attempt_at: nullable(timestamp()),
  next_attempt_at: nullable(timestamp()),
  ended_at: nullable(timestamp()),
})
export type Delivery = Static<typeof Delivery>

export const DeliveryList = plainList.schema(Delivery)

nameSchemas({
  DeletedWebhook: DeletedConnection,
  Delivery,
  DeliveryList,
  Webhook: WebhookConnection,
  WebhookBody: ConnectionBody,
  WebhookList: ConnectionList,
  WebhookPatch: ConnectionPatch,
  WebhookWithSecret: ConnectionWithSecret,
})
