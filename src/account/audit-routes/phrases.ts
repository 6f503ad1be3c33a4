/** How rows of the audit log name what has no name any more. */
export const deletedName = { en: 'deleted', fa: 'حذف‌شده' }

/** Why a request for rows is refused. */
export const reasons = {
  time: (param: string) => ({
    en: `${param} must be a moment that the calendar has, such as 2026-03-21T00:00:00Z.`,
    fa: `${param} باید لحظه‌ای باشد که در تقویم هست، مانند 2026-03-21T00:00:00Z.`,
  }),
}
