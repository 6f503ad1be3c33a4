import type { Told } from '#platform/errors'

/** Why a request is refused. */
export const reasons = {
  longReference: (header: string): Told => ({
    en: `${header} has more than 120 characters.`,
    fa: `${header} بیش از ۱۲۰ نویسه دارد.`,
  }),
}
