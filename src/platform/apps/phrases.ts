import { declareFailures, type Localized } from '#platform/errors'

declare module '#platform/errors' {
  interface Failures {
    HOST_NOT_FOUND: { host: string }
  }
}

declareFailures({
  HOST_NOT_FOUND: {
    status: 404,
    en: ({ host }) => `There is nothing at ${host}. Check the address; what was here may have been deleted.`,
    fa: ({ host }) => `در ${host} چیزی نیست. نشانی را بررسی کنید؛ شاید آنچه اینجا بود حذف شده باشد.`,
  },
})

export const reasons = {
  noHost: {
    en: 'the Host header is no name of a host.',
    fa: 'هدر Host نام میزبانی نیست.',
  },
  noPath: {
    en: 'the request target is no path.',
    fa: 'هدف درخواست مسیر نیست.',
  },
} satisfies Record<string, Localized>
