/** Two packages as an operator writes them: one with every default, one that says everything. */
export const packagesText = `
clouds:
  packages:
    - id: small
      name: { fa: کوچک, en: Small }
    - id: large
      name: { fa: بزرگ, en: Large }
      description: { fa: برای فروشگاه‌ها., en: For shops. }
      disk_bytes: 20000000000
      memory_bytes: 536870912
      connections: 40
      awake_hours: 100
      functions: 200
      secrets: 150
      users: 500000
      files: 7
      file_bytes: 1000
      file_total_bytes: 2000
      daily_egress_bytes: 5000
      daily_function_calls: 3
      daily_mails: 4
`
