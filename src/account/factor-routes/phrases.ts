import type { Localized } from '#platform/errors'

/** What authenticators show of this server beside the person's address. */
export const siteName: Localized = { en: 'Kherad', fa: 'خرد' }
