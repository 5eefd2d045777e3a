import { crc32, deflateRawSync } from 'node:zlib';

interface ZipOptions {
  /** Names of files with a fault. */
  readonly encrypted?: string;
  readonly wrongCrc?: string;
  readonly size?: Readonly<Record<string, number>>;
  readonly method?: Readonly<Record<string, number>>;
  /** Also compresses archives, which are stored otherwise. */
  readonly deflateAll?: boolean;
}

/** A ZIP archive of these files, by path. */
export function zipOf(files: Readonly<Record<string, string | Buffer>>, options: ZipOptions = {}): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const data = Buffer.from(content as string);
    const isStored = name.endsWith('.zip') && options.deflateAll !== true;
    const packed = isStored ? data : deflateRawSync(data);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(name === options.encrypted ? 1 : 0, 2);
    fields.writeUInt16LE(options.method?.[name] ?? (isStored ? 0 : 8), 4);
    fields.writeUInt32LE(name === options.wrongCrc ? 1 : crc32(data), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(options.size?.[name] ?? data.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), fields, end, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const tail = Buffer.alloc(18);
  tail.writeUInt16LE(directory.length, 4);
  tail.writeUInt16LE(directory.length, 6);
  tail.writeUInt32LE(central.length, 8);
  tail.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, central, Buffer.from('PK\x05\x06'), tail]);
}
