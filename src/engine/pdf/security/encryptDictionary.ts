/**
 * The Encrypt dictionary of the standard security handler (ISO 32000-2, 7.6.2, 7.6.4.2 and 7.6.6; tables 20, 21 and
 * 25). The fields have the names of the dictionary's entries.
 */
export interface EncryptDictionary {
  filter: string;
  subFilter?: string | undefined;
  v: number;
  r: number;
  /** Key length in bits. Undefined if the entry is missing. */
  length: number | undefined;
  o: Uint8Array;
  u: Uint8Array;
  oe?: Uint8Array | undefined;
  ue?: Uint8Array | undefined;
  p: number;
  perms?: Uint8Array | undefined;
  encryptMetadata: boolean;
  cf: Record<string, { cfm: string; length?: number | undefined; authEvent?: string | undefined }>;
  stmF: string;
  strF: string;
}
