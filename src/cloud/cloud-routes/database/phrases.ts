import { declareFailures, type Localized } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    /** The plan of the cloud where a request is for the other plan, or what else the cloud does not have. */
    PLAN_MISMATCH: { plan: 'starter' | 'dedicated' | 'backups' | 'import' }
  }
}

declareFailures({
  PLAN_MISMATCH: {
    status: 400,
    en: ({ plan }) =>
      plan === 'backups'
        ? 'Backups are made of dedicated app back-ends; take an export of a Starter one with GET /v1/cloud/{id}/export.'
        : plan === 'import'
          ? 'An export of rows is imported into a Starter app back-end; move that one to a database of its own afterwards, with POST /v1/cloud/{id}/move.'
          : plan === 'starter'
            ? 'SQL queries need dedicated infrastructure; a Starter cloud has collections: send `action` and `table` in place of `query`.'
            : 'Collections belong to Starter clouds; a dedicated one takes SQL: send `query`.',
    fa: ({ plan }) =>
      plan === 'backups'
        ? 'پشتیبان از بک‌اند اختصاصی گرفته می‌شود؛ از بک‌اند Starter با GET /v1/cloud/{id}/export خروجی بگیرید.'
        : plan === 'import'
          ? 'خروجی ردیف‌ها در بک‌اند Starter وارد می‌شود؛ سپس همان را با POST /v1/cloud/{id}/move به پایگاه دادهٔ اختصاصی ببرید.'
          : plan === 'starter'
            ? 'پرس‌وجوی SQL بک‌اند اختصاصی می‌خواهد؛ بک‌اند Starter مجموعه دارد: به جای `query` فیلدهای `action` و `table` را بفرستید.'
            : 'مجموعه‌ها از آنِ بک‌اندهای Starter است؛ بک‌اند اختصاصی SQL می‌پذیرد: `query` را بفرستید.',
  },
})

/** Why a request about collections is refused. */
export const reasons = {
  action: {
    en: 'send `action`: create_collection, list, insert, update or delete.',
    fa: '`action` را بفرستید: create_collection یا list یا insert یا update یا delete.',
  },
  query: {
    en: 'send `query`, the SQL that is to run.',
    fa: '`query` را بفرستید، یعنی SQLای که باید اجرا شود.',
  },
  table: {
    en: 'this action needs the name of a collection.',
    fa: 'این کار نام یک مجموعه را می‌خواهد.',
  },
  twoNames: {
    en: '`name` and `table` both name the collection; send one of them.',
    fa: 'هم `name` و هم `table` نام مجموعه است؛ یکی را بفرستید.',
  },
  name: {
    en: 'the name of a collection has 1 to 63 characters: a letter of a to z or A to Z or an underscore first, then also digits and hyphens; `rpc` is reserved.',
    fa: 'نام مجموعه ۱ تا ۶۳ کاراکتر است: نخست حرف لاتین یا زیرخط، سپس رقم لاتین و خط تیره هم می‌آید؛ `rpc` پذیرفته نیست.',
  },
  id: {
    en: 'this action needs the id of a row, a UUID.',
    fa: 'این کار شناسهٔ یک ردیف را می‌خواهد که UUID است.',
  },
  data: { en: 'this action needs `data`, an object.', fa: 'این کار `data` را می‌خواهد که یک شیء است.' },
  unused: (action: string): Localized => ({
    en: `the action ${action} does not take it; leave it out.`,
    fa: `کار ${action} آن را نمی‌پذیرد؛ آن را ننویسید.`,
  }),
}
