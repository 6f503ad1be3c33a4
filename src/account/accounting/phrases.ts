/** Why a report is refused. */
export const reasons = {
  otherCursor: {
    en: 'is no place in this list: send next_after of the page before, with the same group_by.',
    fa: 'جایی در این فهرست نیست: next_after صفحهٔ پیش را با همان group_by بفرستید.',
  },
}
