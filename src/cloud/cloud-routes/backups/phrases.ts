/** Why a request about a backup is refused. */
export const reasons = {
  onlyNew: {
    en: 'it belongs to `into: "new"` only.',
    fa: 'تنها با `into: "new"` می‌آید.',
  },
}
