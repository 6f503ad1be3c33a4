import { type Static, Type } from 'typebox'
import { bareList } from '#platform/lists'
import { closed, nullable, oneOf, timestamp } from '#platform/schema'

export const DomainParams = Type.Object({
  id: Type.String(),
  domain: Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: 'As it was claimed, or in its ASCII form.',
    'x-description-fa': 'همان‌گونه که درخواست شده، یا به صورت ASCII.',
  }),
})

export const DomainBody = Type.Object(
  {
    domain: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'A public domain or subdomain, such as shop.example.com; names in Persian too.',
      'x-description-fa': 'دامنه یا زیردامنه‌ای عمومی، مانند shop.example.com؛ نام‌های فارسی هم پذیرفته است.',
    }),
  },
  { ...closed, examples: [{ domain: 'shop.example.com' }] },
)
export type DomainBody = Static<typeof DomainBody>

export const Domain = Type.Object({
  object: oneOf('site.domain'),
  domain: Type.String(),
  display: Type.String({
    description: 'The same name in its own letters.',
    'x-description-fa': 'همان نام به خط خودش.',
  }),
  state: oneOf('pending', 'proven', 'lost'),
  record: Type.Object(
    { type: oneOf('TXT'), name: Type.String(), value: Type.String() },
    {
      description: 'What has to stand at the name servers of the domain, and to stay there.',
      'x-description-fa': 'رکوردی که باید در سرورهای نام دامنه ثبت شود و همان‌جا بماند.',
    },
  ),
  target: Type.String({
    description:
      'Where the domain has to lead: a CNAME to this host, or an address record of the same server.',
    'x-description-fa': 'جایی که دامنه باید به آن برسد: یک CNAME به این میزبان، یا رکورد نشانی همین سرور.',
  }),
  proven_at: nullable(timestamp()),
  checked_at: nullable(timestamp()),
  // After a day without its record a proven domain is lost.
  missing_since: nullable(timestamp()),
  created_at: timestamp(),
})
export type Domain = Static<typeof Domain>

export const DomainList = bareList.schema(Domain)

export const DeletedDomain = Type.Object({
  object: oneOf('site.domain'),
  domain: Type.String(),
  deleted: Type.Boolean(),
})
