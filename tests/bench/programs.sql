-- Forty queries of real programs, in our own words: the tables and columns have the programs' names,
-- and what is queried is what they publish, but the rows are made. Read by tests/bench/programs.
--
-- `program` names where the program is published, and is followed by its tables, without those columns
-- that no query here reads. Below a `query` stands what may make it faster, if it is more than ANALYZE and
-- what bloom_advise finds itself: a `filter` or an `order` of tables, as a query, or an `index`.
-- leveldb_hash(n, x) is a random number.
CREATE TABLE number(n INTEGER PRIMARY KEY);
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 150000) INSERT INTO number SELECT n FROM c;

-- program: https://github.com/pi-hole/FTL
CREATE TABLE query_storage(id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp INTEGER NOT NULL, type INTEGER NOT NULL, status INTEGER NOT NULL, domain INTEGER NOT NULL, client INTEGER NOT NULL, forward INTEGER);
CREATE INDEX idx_query_storage_timestamp ON query_storage(timestamp);
CREATE INDEX idx_query_storage_status ON query_storage(status);
CREATE INDEX idx_query_storage_domain ON query_storage(domain);
CREATE INDEX idx_query_storage_client ON query_storage(client);
CREATE TABLE domain_by_id(id INTEGER PRIMARY KEY, domain TEXT NOT NULL);
CREATE TABLE client_by_id(id INTEGER PRIMARY KEY, ip TEXT NOT NULL, name TEXT);
CREATE TABLE network(id INTEGER PRIMARY KEY, hwaddr TEXT UNIQUE NOT NULL, interface TEXT NOT NULL, lastQuery INTEGER NOT NULL);
CREATE TABLE network_addresses(network_id INTEGER NOT NULL, ip TEXT UNIQUE NOT NULL, lastSeen INTEGER NOT NULL, name TEXT);
INSERT INTO query_storage SELECT n, 1700000000 + n, n % 3, leveldb_hash(n, 1) % 12, leveldb_hash(n, 2) % 15000, leveldb_hash(n, 3) % 300, n % 4 FROM number;
INSERT INTO domain_by_id SELECT n, printf('%s%08x.example.com', iif(n % 300 = 0, 'ads', 'host'), leveldb_hash(n, 4)) FROM number LIMIT 15000;
INSERT INTO client_by_id SELECT n, '10.0.' || (n % 250) || '.' || n, iif(n % 9, 'client ' || n, NULL) FROM number LIMIT 400;
INSERT INTO network SELECT n, iif(n % 2, 'ip-', 'hw-') || leveldb_hash(n, 5), iif(n % 5, 'eth0', 'N/A'), n FROM number LIMIT 60000;
INSERT INTO network_addresses SELECT n * 2 % 50000 + 1, '10.' || n, 1700000000 + n, NULL FROM number LIMIT 50000;
-- query:
SELECT d.domain, count(*) FROM query_storage AS q JOIN domain_by_id AS d ON d.id = q.domain WHERE q.timestamp > 1700000100 AND d.domain LIKE 'ads%' GROUP BY d.domain
-- order:
SELECT d.domain, count(*) FROM domain_by_id AS d CROSS JOIN query_storage AS q ON d.id = q.domain WHERE q.timestamp > 1700000100 AND d.domain LIKE 'ads%' GROUP BY d.domain
-- query:
DELETE FROM network WHERE id NOT IN (SELECT network_id FROM network_addresses) AND hwaddr LIKE 'ip-%'
-- filter:
SELECT * FROM network WHERE hwaddr LIKE 'ip-%' AND (NOT bloom_may_match(id, (SELECT bloom_open(bloom_build(network_id)) FROM network_addresses)) OR id NOT IN (SELECT network_id FROM network_addresses))
-- query:
SELECT n.hwaddr, max(a.lastSeen) FROM network AS n LEFT JOIN network_addresses AS a ON a.network_id = n.id WHERE n.interface <> 'N/A' GROUP BY n.id
-- index: CREATE INDEX address_network ON network_addresses(network_id)
-- query:
SELECT c.ip, count(*) FROM query_storage AS q JOIN client_by_id AS c ON c.id = q.client WHERE q.status IN (1, 4, 5) GROUP BY c.id

-- program: https://github.com/pi-hole/pi-hole
CREATE TABLE "group"(id INTEGER PRIMARY KEY, enabled BOOLEAN NOT NULL, name TEXT UNIQUE NOT NULL);
CREATE TABLE adlist(id INTEGER PRIMARY KEY, address TEXT UNIQUE NOT NULL, enabled BOOLEAN NOT NULL);
CREATE TABLE adlist_by_group(adlist_id INTEGER NOT NULL, group_id INTEGER NOT NULL, PRIMARY KEY (adlist_id, group_id));
CREATE TABLE gravity(domain TEXT NOT NULL, adlist_id INTEGER NOT NULL);
CREATE TABLE domainlist(id INTEGER PRIMARY KEY, type INTEGER NOT NULL, domain TEXT NOT NULL, enabled BOOLEAN NOT NULL, UNIQUE (domain, type));
INSERT INTO "group" SELECT n - 1, n <> 3, 'group ' || n FROM number LIMIT 5;
INSERT INTO adlist SELECT n, 'https://example.com/' || n, n % 4 <> 0 FROM number LIMIT 40;
INSERT INTO adlist_by_group SELECT n, n % 5 FROM number LIMIT 40;
INSERT INTO gravity SELECT printf('%08x.example.net', leveldb_hash(n % 90000, 6)), leveldb_hash(n, 7) % 40 + 1 FROM number LIMIT 120000;
INSERT INTO domainlist SELECT n, n % 4, printf('%08x.example.net', leveldb_hash(n, iif(n % 50, 9, 6))), 1 FROM number LIMIT 20000;
-- query:
SELECT count(DISTINCT g.domain) FROM gravity AS g LEFT JOIN adlist_by_group AS b ON b.adlist_id = g.adlist_id LEFT JOIN adlist AS a ON a.id = g.adlist_id LEFT JOIN "group" ON "group".id = b.group_id WHERE a.enabled = 1 AND (b.group_id IS NULL OR "group".enabled = 1)
-- query:
SELECT l.domain, a.address FROM domainlist AS l JOIN gravity AS g ON g.domain = l.domain JOIN adlist AS a ON a.id = g.adlist_id WHERE l.type = 0 AND l.enabled = 1
-- index: CREATE INDEX idx_gravity ON gravity(domain, adlist_id)

-- program: https://github.com/duplicati/duplicati
CREATE TABLE Remotevolume(ID INTEGER PRIMARY KEY, Name TEXT NOT NULL, Type TEXT NOT NULL, Size INTEGER, State TEXT NOT NULL);
CREATE UNIQUE INDEX RemotevolumeName ON Remotevolume(Name, State);
CREATE TABLE FilesetEntry(FilesetID INTEGER NOT NULL, FileID INTEGER NOT NULL, Lastmodified INTEGER NOT NULL, PRIMARY KEY (FilesetID, FileID)) WITHOUT ROWID;
CREATE INDEX FilesetentryFileIdIndex ON FilesetEntry(FileID);
CREATE TABLE FileLookup(ID INTEGER PRIMARY KEY, PrefixID INTEGER NOT NULL, Path TEXT NOT NULL, BlocksetID INTEGER NOT NULL, MetadataID INTEGER NOT NULL);
CREATE INDEX nn_FileLookup_BlockMeta ON FileLookup(BlocksetID, MetadataID);
CREATE TABLE Blockset(ID INTEGER PRIMARY KEY, Length INTEGER NOT NULL, FullHash TEXT NOT NULL);
CREATE UNIQUE INDEX BlocksetFullHash ON Blockset(FullHash, Length);
CREATE TABLE BlocksetEntry(BlocksetID INTEGER NOT NULL, "Index" INTEGER NOT NULL, BlockID INTEGER NOT NULL, PRIMARY KEY (BlocksetID, "Index")) WITHOUT ROWID;
CREATE INDEX BlocksetEntry_IndexIdsBackwards ON BlocksetEntry(BlockID);
CREATE TABLE BlocklistHash(BlocksetID INTEGER NOT NULL, "Index" INTEGER NOT NULL, Hash TEXT NOT NULL);
CREATE UNIQUE INDEX BlocklistHashBlocksetIDIndex ON BlocklistHash(BlocksetID, "Index");
CREATE TABLE Block(ID INTEGER PRIMARY KEY, Hash TEXT NOT NULL, Size INTEGER NOT NULL, VolumeID INTEGER NOT NULL);
CREATE UNIQUE INDEX BlockHashSize ON Block(Hash, Size);
INSERT INTO Remotevolume SELECT n, 'duplicati-' || n, iif(n % 3, 'Blocks', 'Index'), 50000000, iif(n % 90, 'Verified', 'Deleting') FROM number LIMIT 3000;
INSERT INTO FileLookup SELECT n, n % 900, 'file ' || n, iif(n % 8, n % 40000, -100), n % 3000 FROM number LIMIT 60000;
INSERT INTO FilesetEntry SELECT n % 7, n % 60000 + 1, 1700000000 + n FROM number;
INSERT INTO Blockset SELECT n, n * 1000, hex(leveldb_fixed64(leveldb_hash(n, 8))) || n FROM number LIMIT 40000;
INSERT INTO BlocksetEntry SELECT n % 40000, n / 40000, leveldb_hash(n, 10) % 60000 FROM number LIMIT 120000;
INSERT INTO BlocklistHash SELECT n % 4000, n / 4000, printf('%08x%08x', leveldb_hash(n, 11), n) FROM number LIMIT 8000;
INSERT INTO Block SELECT n, printf('%08x%08x', leveldb_hash(n, 12), n), 102400, n % 3000 + 1 FROM number LIMIT 70000;
-- query:
SELECT count(*) FROM FilesetEntry WHERE FileID NOT IN (SELECT ID FROM FileLookup)
-- query:
SELECT count(*) FROM Blockset WHERE Length > 0 AND ID NOT IN (SELECT BlocksetID FROM BlocksetEntry)
-- filter:
SELECT count(*) FROM Blockset WHERE Length > 0 AND (NOT bloom_may_match(ID, (SELECT bloom_open(bloom_build(BlocksetID)) FROM BlocksetEntry)) OR ID NOT IN (SELECT BlocksetID FROM BlocksetEntry))
-- query:
SELECT count(*), sum(Size) FROM Block WHERE ID NOT IN (SELECT BlockID FROM BlocksetEntry) AND Hash NOT IN (SELECT Hash FROM BlocklistHash)
-- filter:
SELECT count(*), sum(Size) FROM Block WHERE ID NOT IN (SELECT BlockID FROM BlocksetEntry) AND (NOT bloom_may_match(Hash, (SELECT bloom_open(bloom_build(Hash)) FROM BlocklistHash)) OR Hash NOT IN (SELECT Hash FROM BlocklistHash))
-- query:
SELECT v.Name, count(*) FROM Block AS b JOIN Remotevolume AS v ON v.ID = b.VolumeID WHERE v.State = 'Deleting' GROUP BY v.ID
-- index: CREATE INDEX BlockVolume ON Block(VolumeID)
-- query:
SELECT count(*) FROM FilesetEntry AS e JOIN FileLookup AS f ON f.ID = e.FileID LEFT JOIN Blockset AS b ON b.ID = f.BlocksetID LEFT JOIN BlocklistHash AS h ON h.BlocksetID = b.ID WHERE e.FilesetID = 2
-- query:
SELECT b.Hash FROM Block AS b JOIN BlocklistHash AS h ON h.Hash = b.Hash

-- program: https://github.com/navidrome/navidrome
CREATE TABLE artist(id VARCHAR(255) PRIMARY KEY, name VARCHAR(255) NOT NULL, missing BOOL NOT NULL);
CREATE TABLE album(id VARCHAR(255) PRIMARY KEY, name VARCHAR(255) NOT NULL, missing BOOL NOT NULL);
CREATE TABLE album_artists(album_id VARCHAR(255) NOT NULL, artist_id VARCHAR(255) NOT NULL, role VARCHAR(255) NOT NULL);
CREATE INDEX album_artists_album ON album_artists(album_id);
CREATE TABLE library_artist(library_id INTEGER NOT NULL, artist_id VARCHAR(255) NOT NULL, PRIMARY KEY (library_id, artist_id));
CREATE TABLE media_file(id VARCHAR(255) PRIMARY KEY, title VARCHAR(255) NOT NULL, album_id VARCHAR(255) NOT NULL, missing BOOL NOT NULL);
CREATE TABLE annotation(user_id VARCHAR(255) NOT NULL, item_id VARCHAR(255) NOT NULL, item_type VARCHAR(255) NOT NULL, play_count INTEGER, starred BOOL, UNIQUE (user_id, item_id, item_type));
INSERT INTO artist SELECT printf('ar-%08x-%d', leveldb_hash(n, 13), n), 'artist ' || n, n % 30 = 0 FROM number LIMIT 20000;
INSERT INTO album SELECT printf('al-%08x-%d', leveldb_hash(n, 14), n), 'album ' || n, n % 40 = 0 FROM number LIMIT 30000;
INSERT INTO album_artists SELECT printf('al-%08x-%d', leveldb_hash(n % 30000 + 1, 14), n % 30000 + 1), printf('ar-%08x-%d', leveldb_hash(n % 15000 + 1, 13), n % 15000 + 1), 'artist' FROM number LIMIT 60000;
INSERT INTO library_artist SELECT 1, id FROM artist WHERE rowid % 8 = 0;
INSERT INTO media_file SELECT printf('mf-%08x-%d', leveldb_hash(n, 15), n), 'title ' || n, printf('al-%08x-%d', leveldb_hash(n % 28000 + 1, 14), n % 28000 + 1), n % 50 = 0 FROM number LIMIT 100000;
INSERT INTO annotation SELECT 'u' || (n % 3), printf('mf-%08x-%d', leveldb_hash(n, iif(n % 21, 15, 16)), n), iif(n % 5, 'media_file', 'album'), n % 40, n % 11 = 0 FROM number LIMIT 60000;
-- query:
DELETE FROM album WHERE id NOT IN (SELECT DISTINCT(album_id) FROM media_file)
-- index: CREATE INDEX media_file_album ON media_file(album_id)
-- query:
UPDATE artist SET missing = true WHERE missing = false AND NOT EXISTS (SELECT 1 FROM library_artist WHERE library_artist.artist_id = artist.id)
-- index: CREATE INDEX library_artist_artist ON library_artist(artist_id)
-- query:
DELETE FROM annotation WHERE item_type = 'media_file' AND item_id NOT IN (SELECT id FROM media_file)
-- query:
SELECT count(*) FROM media_file LEFT JOIN annotation ON annotation.item_id = media_file.id AND annotation.item_type = 'media_file' AND annotation.user_id = 'u1' WHERE media_file.missing = false AND annotation.starred = true
-- query:
SELECT DISTINCT aa.artist_id FROM album_artists AS aa JOIN album AS a ON aa.album_id = a.id WHERE a.missing = true
-- order:
SELECT DISTINCT aa.artist_id FROM album AS a CROSS JOIN album_artists AS aa ON aa.album_id = a.id WHERE a.missing = true

-- program: https://github.com/FreshRSS/FreshRSS
CREATE TABLE feed(id INTEGER PRIMARY KEY AUTOINCREMENT, url VARCHAR(32768) NOT NULL, category INTEGER, priority TINYINT(2) NOT NULL);
CREATE TABLE entry(id BIGINT NOT NULL, guid VARCHAR(767) NOT NULL, title VARCHAR(8192) NOT NULL, is_read BOOLEAN NOT NULL, is_favorite BOOLEAN NOT NULL, id_feed INTEGER, date INT(11), PRIMARY KEY (id), UNIQUE (id_feed, guid));
CREATE INDEX entry_is_favorite_index ON entry(is_favorite);
CREATE INDEX entry_is_read_index ON entry(is_read);
CREATE TABLE tag(id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR(191) NOT NULL);
CREATE TABLE entrytag(id_tag INTEGER, id_entry BIGINT, PRIMARY KEY (id_tag, id_entry));
CREATE INDEX entrytag_id_entry_index ON entrytag(id_entry);
INSERT INTO feed SELECT n, 'https://example.com/' || n, n % 20, iif(n % 30, 0, 10) FROM number LIMIT 600;
INSERT INTO entry SELECT 1700000000000 + n, 'guid ' || leveldb_hash(n, 17), 'title ' || n, n % 9 <> 0, n % 200 = 0, leveldb_hash(n, 18) % 600 + 1, n FROM number LIMIT 120000;
INSERT INTO tag SELECT n, 'tag ' || n FROM number LIMIT 30;
INSERT OR IGNORE INTO entrytag SELECT leveldb_hash(n, 19) % 30 + 1, 1700000000000 + n * 37 FROM number LIMIT 3000;
-- query:
SELECT count(e.id) FROM entry AS e INNER JOIN feed AS f ON e.id_feed = f.id WHERE f.priority > 0 AND e.is_read = 0
-- order:
SELECT count(e.id) FROM feed AS f CROSS JOIN entry AS e ON e.id_feed = f.id WHERE f.priority > 0 AND e.is_read = 0
-- query:
SELECT count(*) FROM entry WHERE is_read = 1 AND is_favorite = 0 AND NOT EXISTS (SELECT 1 FROM entrytag WHERE id_entry = id)
-- query:
SELECT count(*) FROM entry AS e WHERE e.id NOT IN (SELECT et.id_entry FROM entrytag AS et, tag AS t WHERE et.id_tag = t.id AND t.name IN ('tag 3', 'tag 4'))
-- query:
SELECT t.name, count(e.id) FROM tag AS t LEFT OUTER JOIN entrytag AS et ON et.id_tag = t.id LEFT OUTER JOIN entry AS e ON et.id_entry = e.id AND e.is_read = 0 GROUP BY t.id

-- program: https://github.com/zotero/zotero
CREATE TABLE items(itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL, libraryID INT NOT NULL);
CREATE TABLE itemAttachments(itemID INTEGER PRIMARY KEY, parentItemID INT, contentType TEXT);
CREATE INDEX itemAttachments_parentItemID ON itemAttachments(parentItemID);
CREATE TABLE itemNotes(itemID INTEGER PRIMARY KEY, parentItemID INT, title TEXT);
CREATE TABLE itemData(itemID INT, fieldID INT, valueID INT, PRIMARY KEY (itemID, fieldID));
CREATE INDEX itemData_fieldID ON itemData(fieldID);
CREATE TABLE itemDataValues(valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE deletedItems(itemID INTEGER PRIMARY KEY, dateDeleted);
INSERT INTO items SELECT n, n % 30, iif(n % 40, 1, 2) FROM number LIMIT 80000;
INSERT INTO itemAttachments SELECT n * 2, iif(n % 5, n * 2 - 1, NULL), 'application/pdf' FROM number LIMIT 35000;
INSERT INTO itemNotes SELECT n * 5 + 1, n * 5, 'note ' || n FROM number LIMIT 12000;
INSERT INTO itemData SELECT n / 2 + 1, n % 2 + 1, n % 60000 FROM number;
INSERT INTO itemDataValues SELECT n - 1, 'value ' || n FROM number LIMIT 60000;
INSERT INTO deletedItems SELECT n * 50, NULL FROM number LIMIT 1500;
-- query:
SELECT parentItemID, a.itemID, value AS title, d.itemID IS NOT NULL AS trashed FROM itemAttachments AS a JOIN items AS i ON a.parentItemID = i.itemID LEFT JOIN itemData AS v ON fieldID = 1 AND a.itemID = v.itemID LEFT JOIN itemDataValues USING (valueID) LEFT JOIN deletedItems AS d ON d.itemID = a.itemID WHERE libraryID = 1
-- query:
SELECT count(*) FROM itemDataValues WHERE valueID NOT IN (SELECT valueID FROM itemData)
-- index: CREATE INDEX itemData_valueID ON itemData(valueID)

-- program: https://github.com/KDE/digikam
CREATE TABLE Albums(id INTEGER PRIMARY KEY, albumRoot INTEGER NOT NULL, relativePath TEXT NOT NULL);
CREATE TABLE Images(id INTEGER PRIMARY KEY, album INTEGER, name TEXT NOT NULL, status INTEGER NOT NULL, category INTEGER NOT NULL, UNIQUE (album, name));
CREATE TABLE ImageTags(imageid INTEGER NOT NULL, tagid INTEGER NOT NULL, UNIQUE (imageid, tagid));
CREATE INDEX tag_index ON ImageTags(tagid);
CREATE INDEX tag_id_index ON ImageTags(imageid);
CREATE TABLE ImageInformation(imageid INTEGER PRIMARY KEY, rating INTEGER, format TEXT);
INSERT INTO Albums SELECT n, n % 3 + 1, '/album ' || n FROM number LIMIT 900;
INSERT INTO Images SELECT n, n % 900 + 1, printf('IMG_%06d.jpg', n), iif(n % 25, 1, 3), 1 FROM number LIMIT 90000;
INSERT OR IGNORE INTO ImageTags SELECT leveldb_hash(n, 20) % 90000 + 1, n % 200 FROM number LIMIT 15000;
INSERT OR IGNORE INTO ImageTags SELECT leveldb_hash(n, 21) % 90000 + 1, 7 FROM number LIMIT 15000;
INSERT INTO ImageInformation SELECT n, n % 6, iif(n % 70, 'JPG', 'PGF') FROM number LIMIT 90000;
-- query:
SELECT DISTINCT Albums.albumRoot, Albums.relativePath, Images.name FROM Images LEFT JOIN ImageTags ON Images.id = ImageTags.imageid INNER JOIN Albums ON Albums.id = Images.album WHERE Images.status = 1 AND Images.category = 1 AND (ImageTags.tagid = 9 OR ImageTags.tagid NOT BETWEEN 8 AND 12 OR ImageTags.tagid IS NULL)
-- query:
SELECT tagid, count(*) FROM ImageTags LEFT JOIN Images ON Images.id = ImageTags.imageid WHERE Images.status = 1 GROUP BY tagid
-- query:
SELECT Images.id FROM Images INNER JOIN ImageInformation ON Images.id = ImageInformation.imageid WHERE ImageInformation.format = 'PGF' AND Images.status = 1
-- order:
SELECT Images.id FROM ImageInformation CROSS JOIN Images ON Images.id = ImageInformation.imageid WHERE ImageInformation.format = 'PGF' AND Images.status = 1
-- index: CREATE INDEX information_format ON ImageInformation(format)

-- program: https://github.com/kovidgoyal/calibre
CREATE TABLE books(id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, sort TEXT);
CREATE TABLE tags(id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE UNIQUE);
CREATE TABLE books_tags_link(id INTEGER PRIMARY KEY, book INTEGER NOT NULL, tag INTEGER NOT NULL, UNIQUE (book, tag));
CREATE INDEX books_tags_link_aidx ON books_tags_link(tag);
CREATE TABLE data(id INTEGER PRIMARY KEY, book INTEGER NOT NULL, format TEXT NOT NULL COLLATE NOCASE, UNIQUE (book, format));
CREATE TABLE resources(hash TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE notes_resources_link(id INTEGER PRIMARY KEY, note INTEGER NOT NULL, resource TEXT NOT NULL, UNIQUE (note, resource));
INSERT INTO books SELECT n, 'title ' || n, 'title ' || n FROM number LIMIT 50000;
INSERT INTO tags SELECT n, 'tag ' || n FROM number LIMIT 8000;
INSERT OR IGNORE INTO books_tags_link SELECT n, leveldb_hash(n, 22) % 50000 + 1, n % 7000 + 1 FROM number LIMIT 60000;
INSERT INTO data SELECT n, n, iif(n % 40, 'EPUB', 'AZW3') FROM number LIMIT 48000;
INSERT INTO resources SELECT printf('%08x%08x', leveldb_hash(n, 23), n), 'r' || n FROM number LIMIT 50000;
INSERT INTO notes_resources_link SELECT n, n % 9000, printf('%08x%08x', leveldb_hash(n, 23), n) FROM number LIMIT 6000;
-- query:
DELETE FROM resources WHERE hash NOT IN (SELECT resource FROM notes_resources_link)
-- filter:
SELECT * FROM resources WHERE NOT bloom_may_match(hash, (SELECT bloom_open(bloom_build(resource)) FROM notes_resources_link)) OR hash NOT IN (SELECT resource FROM notes_resources_link)
-- query:
SELECT tags.name, (SELECT count(books_tags_link.id) FROM books_tags_link WHERE tag = tags.id) AS count FROM tags
-- query:
SELECT books.title FROM books JOIN data ON data.book = books.id WHERE data.format = 'AZW3' AND books.id IN (SELECT book FROM books_tags_link WHERE tag = 12 OR tag = 13)

-- program: https://github.com/element-hq/synapse
CREATE TABLE devices(user_id TEXT NOT NULL, device_id TEXT NOT NULL, display_name TEXT, hidden BOOLEAN, UNIQUE (user_id, device_id));
CREATE TABLE device_inbox(user_id TEXT NOT NULL, device_id TEXT NOT NULL, stream_id BIGINT NOT NULL, message_json TEXT NOT NULL);
CREATE INDEX device_inbox_stream_id_user_id ON device_inbox(stream_id, user_id);
CREATE TABLE e2e_one_time_keys_json(user_id TEXT NOT NULL, device_id TEXT NOT NULL, algorithm TEXT NOT NULL, key_id TEXT NOT NULL, UNIQUE (user_id, device_id, algorithm, key_id));
CREATE TABLE events(stream_ordering INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE, room_id TEXT NOT NULL, type TEXT NOT NULL);
CREATE TABLE redactions(event_id TEXT NOT NULL UNIQUE, redacts TEXT NOT NULL, have_censored BOOL NOT NULL, received_ts BIGINT);
CREATE TABLE event_auth(event_id TEXT NOT NULL, auth_id TEXT NOT NULL, room_id TEXT NOT NULL);
CREATE INDEX evauth_edges_id ON event_auth(event_id);
CREATE TABLE event_auth_chains(event_id TEXT PRIMARY KEY, chain_id BIGINT NOT NULL, sequence_number BIGINT NOT NULL);
INSERT INTO devices SELECT '@user' || (n / 3) || ':example.com', printf('DEV%08X', leveldb_hash(n, 24)), NULL, n % 60 = 0 FROM number LIMIT 15000;
INSERT INTO device_inbox SELECT '@user' || (n % 5000) || ':example.com', printf('DEV%08X', leveldb_hash(n % 90000, 24)), n, '{}' FROM number LIMIT 90000;
INSERT INTO e2e_one_time_keys_json SELECT '@user' || (n / 6) || ':example.com', printf('DEV%08X', leveldb_hash(n / 2, 24)), 'signed_curve25519', 'k' || n FROM number LIMIT 40000;
INSERT INTO events SELECT n, printf('$%08x%08x', leveldb_hash(n, 25), n), '!room' || (n % 70), iif(n % 20, 'm.room.message', 'm.room.member') FROM number LIMIT 100000;
INSERT INTO redactions SELECT printf('$%08x%08x', leveldb_hash(n, 26), n), printf('$%08x%08x', leveldb_hash(n, iif(n % 30, 27, 25)), n), n % 10 = 0, 1700000000000 + n FROM number LIMIT 60000;
INSERT INTO event_auth SELECT event_id, printf('$%08x%08x', leveldb_hash(stream_ordering, iif(stream_ordering % 40, 28, 25)), stream_ordering), room_id FROM events;
INSERT INTO event_auth_chains SELECT event_id, stream_ordering % 900, stream_ordering FROM events WHERE stream_ordering % 4 = 0;
-- query:
DELETE FROM device_inbox WHERE stream_id >= 1 AND stream_id < 80000 AND NOT EXISTS (SELECT * FROM devices AS d WHERE d.device_id = device_inbox.device_id AND d.user_id = device_inbox.user_id AND NOT hidden)
-- query:
SELECT user_id, device_id, algorithm, count(key_id) FROM devices LEFT JOIN e2e_one_time_keys_json USING (user_id, device_id) GROUP BY user_id, device_id, algorithm
-- query:
SELECT count(*), count(original.event_id) FROM redactions LEFT JOIN events AS original ON redacts = original.event_id WHERE NOT have_censored AND redactions.received_ts <= 1700000050000
-- query:
SELECT tc.event_id, ea.auth_id, eac.chain_id IS NOT NULL FROM events AS tc LEFT JOIN event_auth AS ea USING (event_id) LEFT JOIN event_auth_chains AS eac ON ea.auth_id = eac.event_id WHERE tc.type = 'm.room.member'
-- index: CREATE INDEX events_type ON events(type)

-- program: https://github.com/ankitects/anki
CREATE TABLE notes(id INTEGER PRIMARY KEY, mid INTEGER NOT NULL, csum INTEGER NOT NULL, tags TEXT NOT NULL);
CREATE TABLE cards(id INTEGER PRIMARY KEY, nid INTEGER NOT NULL, did INTEGER NOT NULL, odid INTEGER NOT NULL, queue INTEGER NOT NULL);
CREATE INDEX ix_cards_nid ON cards(nid);
CREATE TABLE revlog(id INTEGER PRIMARY KEY, cid INTEGER NOT NULL, ease INTEGER NOT NULL, type INTEGER NOT NULL, factor INTEGER NOT NULL);
CREATE INDEX ix_revlog_cid ON revlog(cid);
CREATE TABLE decks(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE search_cids(cid INTEGER PRIMARY KEY);
INSERT INTO notes SELECT n * 3, n % 12, leveldb_hash(n, 29), '' FROM number LIMIT 40000;
INSERT INTO cards SELECT n * 7, n / 2 * 3, n % 40, 0, n % 4 FROM number LIMIT 90000;
INSERT INTO revlog SELECT 1700000000000 + n, leveldb_hash(n, 30) % 90000 * 7, n % 4 + 1, n % 5, n % 3 FROM number;
INSERT INTO decks SELECT n, 'deck ' || n FROM number LIMIT 38;
INSERT INTO search_cids SELECT n * 700 FROM number LIMIT 600;
-- query:
DELETE FROM cards WHERE nid NOT IN (SELECT id FROM notes)
-- query:
SELECT count(*), max(id) FROM revlog WHERE cid IN (SELECT cid FROM search_cids) AND id >= 1700000001000
-- order:
SELECT count(*), max(id) FROM search_cids AS s CROSS JOIN revlog ON revlog.cid = s.cid AND id >= 1700000001000
-- query:
SELECT c.did, count(DISTINCT r.cid) FROM revlog AS r JOIN cards AS c ON r.cid = c.id WHERE r.id > 1700000050000 AND r.ease > 0 AND (r.type < 3 OR r.factor <> 0) GROUP BY c.did

-- program: https://github.com/NixOS/nix
CREATE TABLE ValidPaths(id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, path TEXT UNIQUE NOT NULL, hash TEXT NOT NULL, narSize INTEGER);
CREATE TABLE Refs(referrer INTEGER NOT NULL, reference INTEGER NOT NULL, PRIMARY KEY (referrer, reference));
CREATE INDEX IndexReferrer ON Refs(referrer);
CREATE TABLE DerivationOutputs(drv INTEGER NOT NULL, id TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (drv, id));
INSERT INTO ValidPaths SELECT n, printf('/nix/store/%08x%d', leveldb_hash(n, 31), n), 'sha256', n FROM number LIMIT 50000;
INSERT OR IGNORE INTO Refs SELECT n % 50000 + 1, leveldb_hash(n, 32) % 50000 + 1 FROM number LIMIT 140000;
INSERT INTO DerivationOutputs SELECT n, 'out', printf('/nix/store/%08x%d', leveldb_hash(n, iif(n % 20, 33, 31)), n) FROM number LIMIT 60000;
-- query:
SELECT v.path FROM Refs JOIN ValidPaths AS v ON v.id = referrer WHERE reference = (SELECT id FROM ValidPaths WHERE path LIKE '/nix/store/%777' LIMIT 1)
-- index: CREATE INDEX IndexReference ON Refs(reference)
-- query:
SELECT count(*), sum(v.narSize) FROM DerivationOutputs AS d JOIN ValidPaths AS v ON v.path = d.path

-- program: https://github.com/daler/gffutils
CREATE TABLE features(id TEXT PRIMARY KEY, seqid TEXT, featuretype TEXT, start INT, end INT);
CREATE TABLE relations(parent TEXT, child TEXT, level INT, PRIMARY KEY (parent, child, level));
INSERT INTO features SELECT printf('FBgn%08x%d', leveldb_hash(n, 34), n), 'chr' || (n % 7), CASE n % 10 WHEN 0 THEN 'gene' WHEN 1 THEN 'mRNA' ELSE 'exon' END, n * 10, n * 10 + 500 FROM number LIMIT 80000;
INSERT INTO relations SELECT printf('FBgn%08x%d', leveldb_hash(n / 10 * 10, 34), n / 10 * 10), printf('FBgn%08x%d', leveldb_hash(n, 34), n), n % 2 + 1 FROM number WHERE n BETWEEN 10 AND 80000;
-- query:
SELECT DISTINCT f.id, f.start, f.end FROM features AS f JOIN relations AS r ON r.child = f.id WHERE f.featuretype = 'exon' AND r.level = 1 AND r.parent < 'FBgn08'
-- query:
SELECT count(*) FROM features AS f LEFT JOIN relations AS r ON r.parent = f.id WHERE r.parent IS NULL
