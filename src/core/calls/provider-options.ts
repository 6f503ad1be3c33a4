/**
 * The field `provider` of OpenRouter's clients: preferences among OpenRouter's upstreams, which have no meaning here, and options of a vendor, which
 * would have one.
 */
import { type Static, Type } from 'typebox'
import { fail } from '#platform/errors'
import { anyObject, nullable } from '#platform/schema'
import { reasons } from './phrases.ts'

export const Provider = Type.Object(
  {
    options: Type.Optional(
      nullable(
        anyObject({
          description: 'Options of a vendor: refused unless they are empty.',
          'x-description-fa': 'گزینه‌های یک فروشنده: اگر خالی نباشند رد می‌شوند.',
        }),
      ),
    ),
  },
  {
    description: 'Has no effect: which upstream answers is for the operator to say.',
    'x-description-fa': 'اثری ندارد: بالادست را گرداننده تعیین می‌کند.',
  },
)
type ProviderBody = { provider?: Static<typeof Provider> | null | undefined }

/** Throws INVALID_REQUEST for options of a vendor: they would change the result. */
export function requireNoOptions({ provider }: ProviderBody): void {
  const named = Object.values(provider?.options ?? {})
  const isEmpty = (one: unknown): boolean =>
    one == null || (typeof one === 'object' && Object.keys(one).length === 0)
  if (!named.every(isEmpty))
    fail('INVALID_REQUEST', { why: reasons.noOptions }, { param: 'provider.options' })
}

/** The fields that `X-Ignored-Fields` names. */
export const ignoredFields = ({ provider }: ProviderBody): string[] => (provider ? ['provider'] : [])
